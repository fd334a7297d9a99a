# One or more seeds of a row "fig5,CMT" of a_cmt_vs_appstripe.open.csv, for ns-2 2.35 (Debian: ns2): a file of 8 MB over
# two paths. Prints rows with that file's columns:
#     ns fig5.tcl BANDWIDTH_1 BANDWIDTH_2 LOSS FIRST_SEED LAST_SEED
#     ns fig5.tcl 20 20 0.05 1 20
# Bandwidths are in Mbit/s, the loss is a probability. README.md describes the set-up.

if {[llength $argv] != 5} {
    puts stderr "usage: ns fig5.tcl BANDWIDTH_1 BANDWIDTH_2 LOSS FIRST_SEED LAST_SEED"
    exit 2
}
set rates [lrange $argv 0 1]
set loss [lindex $argv 2]
set seed [lindex $argv 3]
set last [lindex $argv 4]

# The CMT agent keeps state between simulations of a process, so each seed has a process of its own.
if {$seed != $last} {
    for {} {$seed <= $last} {incr seed} {
        puts [exec ns $argv0 {*}$rates $loss $seed $seed]
    }
    exit 0
}

set file_bytes 8388608
set chunks 5778
# A run that takes longer is ended with an error.
set at_most 3600

# What has arrived: the TSNs, the last one without a hole below it, data packets, and those that came again.
array set arrived {}
set cumulative 0
set packets 0
set repeated 0

# Called for each line of the trace of a receiving interface, such as
#     r 0.245718 1 4 sctp 1500 -------D 0 1.0 4.0 1 1 12 0 0
# whose second word is the time, whose seventh ends with the kind of chunk, and whose twelfth is the TSN.
Trace set show_sctphdr_ 1
Trace instproc handle line {
    global arrived cumulative packets repeated chunks first
    if {![string match *D [lindex $line 6]]} { return }
    set time [lindex $line 1]
    set tsn [lindex $line 11]
    if {$packets == 0} { set first $time }
    incr packets
    if {[info exists arrived($tsn)]} { incr repeated }
    set arrived($tsn) 1
    while {[info exists arrived([expr $cumulative + 1])]} { incr cumulative }
    if {$cumulative == $chunks} { finish $time }
}

proc finish {time} {
    global rates loss seed first packets repeated cumulative
    set times [format "%.6f,%.6f" $time $first]
    puts "fig5,CMT,[join $rates ,],$loss,$loss,0,1,1,1,1,1,0,4,65536,2,$seed,$times,$packets,$repeated,$cumulative"
    exit 0
}

# A host is a core node with an interface node for each path.
proc host {paths} {
    global ns
    set core [$ns node]
    set interfaces {}
    for {set i 0} {$i < $paths} {incr i} {
        set interface [$ns node]
        $ns multihome-add-interface $core $interface
        lappend interfaces $interface
    }
    set agent [new Agent/SCTP/CMT]
    $ns multihome-attach-agent $core $agent
    $agent set mtu_ 1500
    $agent set dataChunkSize_ 1468
    $agent set numOutStreams_ 1
    $agent set unordered_ 0
    $agent set initialRwnd_ 16777216
    $agent set initialSsthresh_ 65536
    $agent set initialCwnd_ 2
    $agent set useDelayedSacks_ 1
    $agent set fastRtxTrigger_ 4
    $agent set useMaxBurst_ 1
    $agent set useCmtReordering_ 1
    $agent set useCmtCwnd_ 1
    $agent set useCmtDelAck_ 1
    # RTX-SAME.
    $agent set eCmtRtxPolicy_ 1
    $agent set useCmtPF_ 0
    return [list $agent $interfaces]
}

# A link whose packets are lost on the way there, by a generator of their own, once the set-up is over.
proc connect {from to rate} {
    global ns loss discarded
    $ns duplex-link $from $to ${rate}Mb 35ms DropTail
    $ns queue-limit $from $to 100000
    $ns queue-limit $to $from 100000
    $ns trace-queue $from $to $discarded
    [[$ns link $from $to] set rcvT_] set callback_ 1
    if {$loss == 0} { return }
    set model [new ErrorModel]
    $model unit pkt
    $model set rate_ 0
    set random [new RandomVariable/Uniform]
    $random use-rng [new RNG]
    $model ranvar $random
    $model drop-target [new Agent/Null]
    $ns lossmodel $model $from $to
    $ns at 0.2 "$model set rate_ $loss"
}

set ns [new Simulator]
remove-all-packet-headers
add-packet-header IP SCTP Common Flags Message
set discarded [open /dev/null w]
$defaultRNG seed $seed
# Not used; it keeps the generators of the losses in the order of the table.
new RNG

set sending [host 2]
set receiving [host 2]
foreach from [lindex $sending 1] to [lindex $receiving 1] rate $rates { connect $from $to $rate }
set sender [lindex $sending 0]
$ns connect $sender [lindex $receiving 0]
$sender set-primary-destination [lindex $receiving 1 0]
set source [new Application/FTP]
$source attach-agent $sender
$ns at 0 "$source send $file_bytes"
$ns at $at_most {
    puts stderr "seed $seed: only $cumulative of $chunks chunks after $at_most s"
    exit 1
}
$ns run
