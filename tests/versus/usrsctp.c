/* One end of a measured transfer over usrsctp in UDP, on several paths at once (CMT). It speaks what
 * crates/net/examples/meter.rs does, on the command line and in what it prints, and judges nothing.
 *
 *     usrsctp receive cmt=MODE local=A[,B...] buffer=BYTES seconds=S
 *     usrsctp send    cmt=MODE local=A[,B...] remote=C[,D...] buffer=BYTES seconds=S
 *
 * With rate=BITS message=BYTES deadline=MS lifetime=MS unordered=0|1 as well, each message is due at a time that it
 * carries, and given up after the lifetime (0: never). The receiver prints how many arrived in time and late, the
 * sender how many were due and accepted. Both ends read one clock.
 *
 * MODE is what the library's switch for CMT takes: 0 off, 1 CMT, 2 and 3 resource pooling, 4 coupled as MPTCP's
 * LIA; BYTES may be 0 for what the library chooses. Messages of 1,400 bytes, packets of up to 1,500, all else as the
 * library comes. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <usrsctp.h>

enum { PORT = 9899, MOST_PATHS = 8, PATH_MTU = 1500, MESSAGE = 1400, TENTHS = 6000, AFTER = 5 };

struct wanted {
	const char *local, *remote;
	int cmt, buffer;
	double seconds;
	/* Of messages at a rate. */
	int message, deadline, lifetime, unordered;
	double rate;
};

static void check(int failed, const char *what)
{
	if (failed) {
		perror(what);
		exit(1);
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* The value of a word KEY=VALUE of the command line, or nothing. */
static const char *value(int count, char **words, const char *key)
{
	size_t length = strlen(key);

	for (int i = 2; i < count; i++)
		if (strncmp(words[i], key, length) == 0 && words[i][length] == '=')
			return words[i] + length + 1;
	return "";
}

/* The addresses of a list with commas, one behind another; how many they are. */
static int addresses(const char *list, struct sockaddr_in *all)
{
	char *copy = strdup(list), *rest = copy, *one;
	int count = 0;

	check(copy == NULL, "strdup");
	while ((one = strsep(&rest, ",")) != NULL && count < MOST_PATHS) {
		all[count] = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(PORT) };
		check(inet_pton(AF_INET, one, &all[count++].sin_addr) != 1, one);
	}
	free(copy);
	return count;
}

static struct socket *bound(const struct wanted *wanted)
{
	struct socket *sock = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	struct sctp_udpencaps encapsulation = { .sue_port = htons(PORT) };
	struct sctp_paddrparams path = { .spp_pathmtu = PATH_MTU - 28, .spp_flags = SPP_PMTUD_DISABLE };
	struct sockaddr_in local[MOST_PATHS];
	int count = addresses(wanted->local, local);

	check(sock == NULL, "socket");
	encapsulation.sue_address.ss_family = AF_INET;
	path.spp_address.ss_family = AF_INET;
	if (wanted->buffer > 0) {
		check(usrsctp_setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &wanted->buffer, sizeof(int)) < 0, "SO_RCVBUF");
		check(usrsctp_setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &wanted->buffer, sizeof(int)) < 0, "SO_SNDBUF");
	}
	check(usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, &encapsulation,
	                         sizeof encapsulation) < 0, "SCTP_REMOTE_UDP_ENCAPS_PORT");
	check(usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path) < 0,
	      "SCTP_PEER_ADDR_PARAMS");
	check(usrsctp_bindx(sock, (struct sockaddr *)local, count, SCTP_BINDX_ADD_ADDR) < 0, "bindx");
	return sock;
}

static void print_counted(const long long *tenths, double seconds)
{
	long long bytes = 0;
	int count = (int)(seconds * 10 + 0.5);

	for (int i = 0; i < count; i++)
		bytes += tenths[i];
	printf("{\"bytes\": %lld, \"seconds\": %g, \"tenths\": [", bytes, seconds);
	for (int i = 0; i < count; i++)
		printf("%s%lld", i > 0 ? ", " : "", tenths[i]);
	puts("]}");
	fflush(stdout);
}

static void receive(const struct wanted *wanted)
{
	static char memory[1 << 18];
	static long long tenths[TENTHS];
	struct socket *listener = bound(wanted), *sock;
	double start = 0, at = 0;

	check(usrsctp_listen(listener, 1) < 0, "listen");
	puts("ready");
	fflush(stdout);
	sock = usrsctp_accept(listener, NULL, NULL);
	check(sock == NULL, "accept");
	while (at < wanted->seconds) {
		struct sctp_rcvinfo information;
		socklen_t from_len = 0, information_len = sizeof information;
		unsigned int type = 0;
		int flags = 0;
		ssize_t n = usrsctp_recvv(sock, memory, sizeof memory, NULL, &from_len, &information,
		                          &information_len, &type, &flags);

		check(n <= 0, "recvv");
		start = start > 0 ? start : now();
		at = now() - start;
		if (at < wanted->seconds)
			tenths[(int)(at * 10)] += n;
	}
	print_counted(tenths, wanted->seconds);
}

static void send_all(const struct wanted *wanted)
{
	static char message[MESSAGE];
	struct sctp_sndinfo information = { 0 };
	struct sockaddr_in remote[MOST_PATHS];
	struct socket *sock = bound(wanted);
	int count = addresses(wanted->remote, remote);

	check(usrsctp_connectx(sock, (struct sockaddr *)remote, count, NULL) < 0, "connectx");
	/* The other paths have to be confirmed before the first byte, or the start is that of one path. */
	usleep(1000000);
	for (;;)
		check(usrsctp_sendv(sock, message, sizeof message, NULL, 0, &information, sizeof information,
		                    SCTP_SENDV_SNDINFO, 0) < 0, "sendv");
}

/* Counts messages by their age until none has come for some seconds after the last one was due. */
static void receive_judged(const struct wanted *wanted)
{
	static char memory[1 << 18];
	struct socket *listener = bound(wanted), *sock;
	double first = 0, due;
	long in_time = 0, late = 0;

	check(usrsctp_listen(listener, 1) < 0, "listen");
	puts("ready");
	fflush(stdout);
	sock = usrsctp_accept(listener, NULL, NULL);
	check(sock == NULL, "accept");
	check(usrsctp_set_non_blocking(sock, 1) < 0, "non-blocking");
	while (first == 0 || now() < first + wanted->seconds + AFTER) {
		struct sctp_rcvinfo information;
		socklen_t from_len = 0, information_len = sizeof information;
		unsigned int type = 0;
		int flags = 0;
		ssize_t n = usrsctp_recvv(sock, memory, sizeof memory, NULL, &from_len, &information,
		                          &information_len, &type, &flags);

		if (n < 0 && errno == EAGAIN) {
			usleep(200);
			continue;
		}
		if (n < (ssize_t)sizeof due)
			break;
		memcpy(&due, memory, sizeof due);
		first = first > 0 ? first : due;
		if (now() - due <= wanted->deadline / 1e3)
			in_time++;
		else
			late++;
	}
	printf("{\"in_time\": %ld, \"late\": %ld}\n", in_time, late);
	fflush(stdout);
}

/* Sends each message when it is due. One that finds no room is offered again until its lifetime ends, or for ever. */
static void send_paced(const struct wanted *wanted)
{
	static char message[1 << 16];
	struct sctp_sendv_spa options = { .sendv_flags = SCTP_SEND_SNDINFO_VALID };
	struct sockaddr_in remote[MOST_PATHS];
	struct socket *sock = bound(wanted);
	int count = addresses(wanted->remote, remote);
	double gap = 8.0 * wanted->message / wanted->rate, began;
	long all = (long)(wanted->seconds / gap), accepted = 0;

	check(usrsctp_connectx(sock, (struct sockaddr *)remote, count, NULL) < 0, "connectx");
	usleep(1000000);
	check(usrsctp_set_non_blocking(sock, 1) < 0, "non-blocking");
	options.sendv_sndinfo.snd_flags = wanted->unordered ? SCTP_UNORDERED : 0;
	began = now();
	for (long i = 0; i < all; i++) {
		double due = began + i * gap, left;

		while ((left = due - now()) > 0)
			usleep((useconds_t)(left * 1e6) + 1);
		memcpy(message, &due, sizeof due);
		for (;;) {
			left = due + wanted->lifetime / 1e3 - now();
			if (wanted->lifetime > 0 && left < 1e-3)
				break;
			/* Without a lifetime, what still waits at the end of the video counts as unsent. */
			if (wanted->lifetime == 0 && now() > began + wanted->seconds)
				break;
			if (wanted->lifetime > 0) {
				options.sendv_flags |= SCTP_SEND_PRINFO_VALID;
				options.sendv_prinfo.pr_policy = SCTP_PR_SCTP_TTL;
				options.sendv_prinfo.pr_value = (uint32_t)(left * 1e3);
			}
			if (usrsctp_sendv(sock, message, wanted->message, NULL, 0, &options, sizeof options,
			                  SCTP_SENDV_SPA, 0) >= 0) {
				accepted++;
				break;
			}
			check(errno != EAGAIN, "sendv");
			usleep(500);
		}
	}
	printf("{\"due\": %ld, \"accepted\": %ld}\n", all, accepted);
	fflush(stdout);
	/* The last messages arrive; the receiver ends when it has waited long enough. */
	sleep(AFTER + 1);
}

int main(int count, char **words)
{
	struct wanted wanted = {
		.local = value(count, words, "local"),
		.remote = value(count, words, "remote"),
		.cmt = atoi(value(count, words, "cmt")),
		.buffer = atoi(value(count, words, "buffer")),
		.seconds = atof(value(count, words, "seconds")),
		.message = atoi(value(count, words, "message")),
		.deadline = atoi(value(count, words, "deadline")),
		.lifetime = atoi(value(count, words, "lifetime")),
		.unordered = atoi(value(count, words, "unordered")),
		.rate = atof(value(count, words, "rate")),
	};

	if (count < 2 || wanted.buffer < 0 || wanted.seconds <= 0 || wanted.seconds > TENTHS / 10) {
		fprintf(stderr, "usage: usrsctp receive|send KEY=VALUE...\n");
		return 2;
	}
	usrsctp_init(PORT, NULL, NULL);
	usrsctp_sysctl_set_sctp_no_csum_on_loopback(0);
	usrsctp_sysctl_set_sctp_cmt_on_off(wanted.cmt);
	if (wanted.rate > 0) {
		if (wanted.message < (int)sizeof(double) || wanted.message > 1 << 16)
			return 2;
		if (strcmp(words[1], "send") == 0)
			send_paced(&wanted);
		else
			receive_judged(&wanted);
		_exit(0);
	}
	if (strcmp(words[1], "send") == 0)
		send_all(&wanted);
	receive(&wanted);
	/* The sender does not end by itself: a proper end would wait for it. */
	_exit(0);
}
