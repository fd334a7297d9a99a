# The seven scenarios beside this file, for ns-2 2.35 (Debian: ns2). Prints the packets that were offered to links and
# the processor seconds of the whole process:
#     ns ns2.tcl two-paths
# The settings of SCTP are those of tests/oracle: chunks of 1,468 bytes, delayed SACKs, four missing reports.

set ns [new Simulator]
if {[lindex $argv 0] ne "string"} {
    remove-all-packet-headers
    add-packet-header IP SCTP TCP Common Flags Message
}
set monitors {}
set crossings 1

# A duplex link with the same queue both ways, whose queues are counted; loss only on the way there.
proc connect {from to rate delay limit loss count} {
    global ns monitors
    $ns duplex-link $from $to $rate $delay DropTail
    foreach {a b} [list $from $to $to $from] {
        $ns queue-limit $a $b $limit
        if {$count} { lappend monitors [$ns monitor-queue $a $b ""] }
    }
    if {$loss > 0} {
        set model [new ErrorModel]
        $model unit pkt
        $model set rate_ 0
        set random [new RandomVariable/Uniform]
        $random use-rng [new RNG]
        $model ranvar $random
        $model drop-target [new Agent/Null]
        $ns lossmodel $model $from $to
        $ns at 0.25 "$model set rate_ $loss"
    }
}

proc settings {agent window} {
    $agent set mtu_ 1500
    $agent set dataChunkSize_ 1468
    $agent set numOutStreams_ 1
    $agent set initialRwnd_ $window
    $agent set initialSsthresh_ 65536
    $agent set useDelayedSacks_ 1
    $agent set fastRtxTrigger_ 4
    $agent set useMaxBurst_ 1
    $agent set rtxToAlt_ 0
}

# One CMT association over several paths, unordered.
proc multipath {paths rate delay loss} {
    global ns
    set hosts {}
    foreach side {0 1} {
        set core [$ns node]
        set interfaces {}
        for {set i 0} {$i < $paths} {incr i} {
            set interface [$ns node]
            $ns multihome-add-interface $core $interface
            lappend interfaces $interface
        }
        set agent [new Agent/SCTP/CMT]
        $ns multihome-attach-agent $core $agent
        settings $agent 1048576
        $agent set unordered_ 1
        $agent set useCmtReordering_ 1
        $agent set useCmtCwnd_ 1
        $agent set useCmtDelAck_ 1
        $agent set eCmtRtxPolicy_ 4
        $agent set useCmtPF_ 0
        lappend hosts [list $agent $interfaces]
    }
    foreach a [lindex $hosts 0 1] b [lindex $hosts 1 1] {
        connect $a $b $rate $delay 100 $loss 1
    }
    set sender [lindex $hosts 0 0]
    $ns connect $sender [lindex $hosts 1 0]
    $sender set-primary-destination [lindex $hosts 1 1 0]
    source_at $sender 0
}

# Plain associations through one bottleneck; only its packets are counted, and each crosses three links.
proc dumbbell {count} {
    global ns crossings
    set crossings 3
    set left [$ns node]
    set right [$ns node]
    connect $left $right 100Mb 10ms 500 0 1
    for {set i 0} {$i < $count} {incr i} {
        set from [$ns node]
        set to [$ns node]
        connect $from $left 100Mb 1ms 500 0 0
        connect $right $to 100Mb 1ms 500 0 0
        single $from $to 65536 0 [expr 0.01 * $i]
    }
}

# TCP with selective acknowledgements through one bottleneck, likewise.
proc tcp_dumbbell {count} {
    global ns crossings
    set crossings 3
    set left [$ns node]
    set right [$ns node]
    connect $left $right 100Mb 10ms 250 0 1
    for {set i 0} {$i < $count} {incr i} {
        set from [$ns node]
        set to [$ns node]
        connect $from $left 1000Mb 1ms 1000 0 0
        connect $right $to 1000Mb 1ms 1000 0 0
        set sender [new Agent/TCP/Sack1]
        $sender set packetSize_ 1448
        $sender set window_ 724
        $sender set windowInit_ 4
        set receiver [new Agent/TCPSink/Sack1/DelAck]
        $ns attach-agent $from $sender
        $ns attach-agent $to $receiver
        $ns connect $sender $receiver
        source_at $sender [expr 0.02 * $i]
    }
}

proc single {from to window unordered start} {
    global ns
    foreach {node name} [list $from sender $to receiver] {
        set $name [new Agent/SCTP]
        $ns attach-agent $node [set $name]
        settings [set $name] $window
        [set $name] set unordered_ $unordered
    }
    $ns connect $sender $receiver
    source_at $sender $start
}

proc source_at {agent start} {
    global ns
    set source [new Application/FTP]
    $source attach-agent $agent
    $ns at $start "$source start"
}

# Four stations in a line with 802.11 and DSR, and SCTP from the first to the last: the settings of tests/oracle/ns3/ch3_ns2.
# No monitor counts what is on air: 0 packets.
proc string_of_stations {} {
    global ns received
    Phy/WirelessPhy set CSThresh_ [two_ray 300.0]
    Phy/WirelessPhy set RXThresh_ [two_ray 300.0]
    Phy/WirelessPhy set CPThresh_ 10.0
    Mac/802_11 set dataRate_ 1Mb
    Mac/802_11 set basicRate_ 1Mb
    Mac/802_11 set RTSThreshold_ 20
    Mac/802_11 set ShortRetryLimit_ 7
    Mac/802_11 set LongRetryLimit_ 4
    set topography [new Topography]
    $topography load_flatgrid 2000 1000
    $ns trace-all [open /dev/null w]
    create-god 4
    $ns node-config -adhocRouting DSR -llType LL -macType Mac/802_11 -ifqType CMUPriQueue -ifqLen 50 \
        -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $topography \
        -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
    for {set i 0} {$i < 4} {incr i} {
        set station($i) [$ns node]
        $station($i) random-motion 0
        $station($i) set X_ [expr 100.0 + 250.0 * $i]
        $station($i) set Y_ 100.0
        $station($i) set Z_ 0.0
    }
    foreach {name node} [list sender $station(0) receiver $station(3)] {
        set $name [new Agent/SCTP]
        $ns attach-agent $node [set $name]
        settings [set $name] 2176
        [set $name] set mtu_ 576
        [set $name] set dataChunkSize_ 528
    }
    $ns connect $sender $receiver
    source_at $sender 0.5
}

# The power that arrives at a distance by two-ray ground, at the usual 0.28183815 W and 1.5 m.
proc two_ray {distance} { expr 0.28183815 * pow(1.5, 4) / pow($distance, 4) * 0.9999 }

proc finish {} {
    global monitors crossings
    set packets 0
    foreach monitor $monitors { incr packets [expr int([$monitor set parrivals_])] }
    set stat [open /proc/self/stat]
    set fields [split [lindex [split [read $stat] ")"] end]]
    # Behind the name, user and system time are the 12th and 13th field, in hundredths of a second.
    set ticks [expr [lindex $fields 12] + [lindex $fields 13]]
    puts "[expr $packets * $crossings] [expr $ticks / 100.0]"
    exit 0
}

set end 60
switch [lindex $argv 0] {
    two-paths { multipath 2 100Mb 10ms 0 }
    dumbbell { dumbbell 50 }
    four-paths { multipath 4 25Mb 20ms 0.001 }
    one-path {
        set from [$ns node]
        set to [$ns node]
        connect $from $to 100Mb 10ms 100 0.0001 1
        single $from $to 1048576 1 0
    }
    tcp-dumbbell {
        tcp_dumbbell 50
        set end 30
    }
    large-dumbbell {
        dumbbell 200
        set end 20
    }
    string {
        string_of_stations
        set end 600
    }
    default { puts stderr "usage: ns ns2.tcl string|two-paths|dumbbell|four-paths|one-path|large-dumbbell|tcp-dumbbell"; exit 2 }
}
$ns at $end finish
$ns run
