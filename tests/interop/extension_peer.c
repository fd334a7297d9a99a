/* usrsctp that does as its input says, with the extensions that are switched on.
 *
 *     extension_peer listen|open LOCAL REMOTE UDP_PORT SCTP_PORT [KEY=VALUE ...]
 *
 * SCTP packets are the payload of UDP datagrams (RFC 6951), with the same ports at both ends. The keys are
 * partial_reliability, interleaving, nr_sack and stream_reconfiguration, with 1 as value, and send_buffer in bytes. The
 * lines of its input and output are those of crates/net/examples/extensions.rs. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <usrsctp.h>

#include "peer.h"

/* An option that usrsctp 0.9.5 has, though its header lacks it. */
#ifndef SCTP_INTERLEAVING_SUPPORTED
#define SCTP_INTERLEAVING_SUPPORTED 0x00001206
#endif

enum { BUFFER = 1 << 20, STREAMS = 1 << 16, FIRST_PPID = 0x41420000, ALL_INTERLEAVED = 2 };

static struct {
	int partial_reliability, interleaving, nr_sack, stream_reconfiguration, send_buffer;
} set_to = { .send_buffer = BUFFER };

/* The message of each stream whose beginning was delivered. */
static struct {
	size_t bytes;
	uint32_t sum;
} begun[STREAMS];

/* Adler-32 (RFC 1950, 8.2) of bytes after others whose sum is `before`. */
static uint32_t adler32(uint32_t before, const uint8_t *bytes, size_t length)
{
	uint32_t low = before & 0xffff, high = before >> 16;

	for (size_t i = 0; i < length; i++) {
		low = (low + bytes[i]) % 65521;
		high = (high + low) % 65521;
	}
	return high << 16 | low;
}

/* No two messages and no two places in one look alike. */
static void fill(uint8_t *message, size_t size, uint32_t number)
{
	uint64_t state = (number + 1) * 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < size; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		message[i] = state >> 56;
	}
}

static void set(struct socket *sock, int level, int option, const void *value, socklen_t length, const char *what)
{
	check(usrsctp_setsockopt(sock, level, option, value, length) < 0, what);
}

static void set_number(struct socket *sock, int level, int option, int value, const char *what)
{
	set(sock, level, option, &value, sizeof value, what);
}

static void set_future(struct socket *sock, int option, uint32_t value, const char *what)
{
	struct sctp_assoc_value future = { .assoc_id = SCTP_FUTURE_ASSOC, .assoc_value = value };

	set(sock, IPPROTO_SCTP, option, &future, sizeof future, what);
}

static void subscribe(struct socket *sock)
{
	static const uint16_t events[] = { SCTP_SEND_FAILED_EVENT, SCTP_STREAM_RESET_EVENT, SCTP_ASSOC_RESET_EVENT,
		                           SCTP_STREAM_CHANGE_EVENT };

	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		struct sctp_event event = { .se_assoc_id = SCTP_ALL_ASSOC, .se_type = events[i], .se_on = 1 };

		set(sock, IPPROTO_SCTP, SCTP_EVENT, &event, sizeof event, "SCTP_EVENT");
	}
	set_number(sock, IPPROTO_SCTP, SCTP_RECVRCVINFO, 1, "SCTP_RECVRCVINFO");
	set_number(sock, IPPROTO_SCTP, SCTP_NODELAY, 1, "SCTP_NODELAY");
}

static struct socket *make_socket(int family, uint16_t udp_port)
{
	struct socket *sock = usrsctp_socket(family, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	struct sctp_udpencaps encapsulation = { .sue_port = htons(udp_port) };
	struct sctp_initmsg init = { .sinit_num_ostreams = 10, .sinit_max_instreams = 2048 };

	check(sock == NULL, "usrsctp_socket");
	encapsulation.sue_address.ss_family = family;
	set(sock, IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, &encapsulation, sizeof encapsulation,
	    "SCTP_REMOTE_UDP_ENCAPS_PORT");
	set(sock, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof init, "SCTP_INITMSG");
	set_number(sock, SOL_SOCKET, SO_RCVBUF, BUFFER, "SO_RCVBUF");
	set_number(sock, SOL_SOCKET, SO_SNDBUF, set_to.send_buffer, "SO_SNDBUF");
	set_future(sock, SCTP_PLUGGABLE_SS, SCTP_SS_ROUND_ROBIN, "SCTP_PLUGGABLE_SS");
	if (set_to.interleaving) {
		set_number(sock, IPPROTO_SCTP, SCTP_FRAGMENT_INTERLEAVE, ALL_INTERLEAVED, "SCTP_FRAGMENT_INTERLEAVE");
		set_future(sock, SCTP_INTERLEAVING_SUPPORTED, 1, "SCTP_INTERLEAVING_SUPPORTED");
	}
	if (set_to.stream_reconfiguration)
		set_future(sock, SCTP_ENABLE_STREAM_RESET, SCTP_ENABLE_VALUE_MASK, "SCTP_ENABLE_STREAM_RESET");
	subscribe(sock);
	return sock;
}

/* The association: opened to the other end, or by it. */
static struct socket *meet(int opens, const char *local, const char *remote, uint16_t udp_port, uint16_t port)
{
	struct sockaddr_storage here = address(local, port), there = address(remote, port);
	struct socket *sock = make_socket(here.ss_family, udp_port);
	socklen_t size = here.ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);

	check(usrsctp_bind(sock, (struct sockaddr *)&here, size) < 0, "usrsctp_bind");
	if (opens) {
		check(usrsctp_connect(sock, (struct sockaddr *)&there, size) < 0, "usrsctp_connect");
		return sock;
	}
	check(usrsctp_listen(sock, 1) < 0, "usrsctp_listen");
	puts("ready");
	sock = usrsctp_accept(sock, NULL, NULL);
	check(sock == NULL, "usrsctp_accept");
	subscribe(sock);
	return sock;
}

/* The streams of a notification as users write them. */
static void print_streams(const struct sctp_stream_reset_event *event)
{
	size_t count = (event->strreset_length - sizeof *event) / sizeof *event->strreset_stream_list;

	if (count == 0)
		printf("all");
	for (size_t i = 0; i < count; i++)
		printf("%s%u", i == 0 ? "" : ",", event->strreset_stream_list[i]);
	putchar('\n');
}

static void tell_reset(const struct sctp_stream_reset_event *event)
{
	const char *direction = event->strreset_flags & SCTP_STREAM_RESET_OUTGOING_SSN ? "outgoing" : "incoming";

	flockfile(stdout);
	if (event->strreset_flags & (SCTP_STREAM_RESET_DENIED | SCTP_STREAM_RESET_FAILED))
		printf("refused reset-%s ", direction);
	else
		printf("reset-%s ", direction);
	print_streams(event);
	funlockfile(stdout);
}

static void tell(const union sctp_notification *news)
{
	const struct sctp_send_failed_event *failed = &news->sn_send_failed_event;
	const struct sctp_stream_change_event *change = &news->sn_strchange_event;
	const struct sctp_assoc_reset_event *reset = &news->sn_assocreset_event;

	switch (news->sn_header.sn_type) {
	case SCTP_SEND_FAILED_EVENT:
		printf("given-up %u %u %s\n", failed->ssfe_info.snd_sid,
		       (uint32_t)ntohl(failed->ssfe_info.snd_ppid) - FIRST_PPID,
		       failed->ssfe_flags & SCTP_DATA_SENT ? "sent" : "unsent");
		break;
	case SCTP_STREAM_RESET_EVENT:
		tell_reset(&news->sn_strreset_event);
		break;
	case SCTP_ASSOC_RESET_EVENT:
		puts(reset->assocreset_flags ? "refused reset-association" : "reset-association");
		break;
	case SCTP_STREAM_CHANGE_EVENT:
		printf("%s %u %u\n", change->strchange_flags ? "refused added" : "added", change->strchange_outstrms,
		       change->strchange_instrms);
		break;
	default:
		break;
	}
}

/* Takes a part of a message, of which parts of others may lie between. */
static void take(const struct sctp_rcvinfo *information, const uint8_t *bytes, size_t length, int is_last)
{
	uint16_t stream = information->rcv_sid;

	begun[stream].sum = adler32(begun[stream].bytes == 0 ? 1 : begun[stream].sum, bytes, length);
	begun[stream].bytes += length;
	if (is_last) {
		printf("received %u %u %zu %08x\n", stream, (uint32_t)ntohl(information->rcv_ppid) - FIRST_PPID,
		       begun[stream].bytes, begun[stream].sum);
		begun[stream].bytes = 0;
	}
}

/* Reads until the other end has closed the association. */
static void *receive_all(void *socket)
{
	static uint8_t buffer[BUFFER];

	for (;;) {
		struct sctp_rcvinfo information = { 0 };
		socklen_t from_length = 0, length = sizeof information;
		unsigned int type = 0;
		int flags = 0;
		ssize_t n = usrsctp_recvv(socket, buffer, sizeof buffer, NULL, &from_length, &information, &length,
		                          &type, &flags);

		if (n <= 0) {
			printf("closed %s\n", n == 0 ? "in order" : strerror(errno));
			return NULL;
		}
		if (flags & MSG_NOTIFICATION)
			tell((const union sctp_notification *)buffer);
		else
			take(&information, buffer, n, (flags & MSG_EOR) != 0);
	}
}

static uint16_t policy_of(const char *effort)
{
	return strcmp(effort, "lifetime") == 0          ? SCTP_PR_SCTP_TTL
	       : strcmp(effort, "retransmissions") == 0 ? SCTP_PR_SCTP_RTX
	       : strcmp(effort, "priority") == 0        ? SCTP_PR_SCTP_BUF
	                                                : SCTP_PR_SCTP_NONE;
}

/* One message that has been described; the result is usrsctp's. */
static int send_one(struct socket *sock, struct sctp_sendv_spa *options, uint32_t number, size_t size)
{
	uint8_t *message = malloc(size);

	check(message == NULL, "malloc");
	fill(message, size, number);
	printf("sent %u %u %zu %08x\n", options->sendv_sndinfo.snd_sid, number, size, adler32(1, message, size));
	options->sendv_sndinfo.snd_ppid = htonl(FIRST_PPID + number);
	ssize_t n = usrsctp_sendv(sock, message, size, NULL, 0, options, sizeof *options, SCTP_SENDV_SPA, 0);

	free(message);
	return n == (ssize_t)size ? 0 : -1;
}

static int send_all(struct socket *sock, const char *line)
{
	static uint32_t number;
	unsigned int stream, messages, size, value, pause, immediate;
	char effort[16];
	struct sctp_sendv_spa options = { .sendv_flags = SCTP_SEND_SNDINFO_VALID | SCTP_SEND_PRINFO_VALID };

	if (sscanf(line, "send %u %u %u %15s %u %u %u", &stream, &messages, &size, effort, &value, &pause,
	           &immediate) != 7) {
		errno = EINVAL;
		return -1;
	}
	options.sendv_sndinfo.snd_sid = stream;
	options.sendv_sndinfo.snd_flags = immediate ? SCTP_SACK_IMMEDIATELY : 0;
	options.sendv_prinfo.pr_policy = policy_of(effort);
	options.sendv_prinfo.pr_value = value;
	while (messages-- > 0) {
		if (send_one(sock, &options, number++, size) < 0)
			return -1;
		usleep(pause * 1000);
	}
	return 0;
}

/* "reset outgoing 1,2", "reset incoming all". */
static int reset_streams(struct socket *sock, uint16_t flags, char *list)
{
	struct {
		struct sctp_reset_streams head;
		uint16_t room[16];
	} request = { .head = { .srs_flags = flags } };
	char *rest = NULL;

	if (strcmp(list, "all") != 0)
		for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
			request.room[request.head.srs_number_streams++ & 15] = atoi(word);
	return usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_RESET_STREAMS, &request,
	                          sizeof request.head + request.head.srs_number_streams * sizeof *request.room);
}

/* Carries one command out. */
static int obey(struct socket *sock, const char *line)
{
	char streams[64];
	unsigned int outgoing, incoming;
	sctp_assoc_t only = SCTP_FUTURE_ASSOC;

	if (strncmp(line, "send ", 5) == 0)
		return send_all(sock, line);
	if (sscanf(line, "reset outgoing %63s", streams) == 1)
		return reset_streams(sock, SCTP_STREAM_RESET_OUTGOING, streams);
	if (sscanf(line, "reset incoming %63s", streams) == 1)
		return reset_streams(sock, SCTP_STREAM_RESET_INCOMING, streams);
	if (strncmp(line, "reset association", 17) == 0)
		return usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_RESET_ASSOC, &only, sizeof only);
	if (sscanf(line, "add %u %u", &outgoing, &incoming) == 2) {
		struct sctp_add_streams add = { .sas_instrms = incoming, .sas_outstrms = outgoing };

		return usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_ADD_STREAMS, &add, sizeof add);
	}
	if (strncmp(line, "close", 5) == 0)
		return usrsctp_shutdown(sock, SHUT_WR);
	errno = EINVAL;
	return -1;
}

static void read_settings(int words, char **word)
{
	for (int i = 0; i < words; i++) {
		int known = sscanf(word[i], "partial_reliability=%d", &set_to.partial_reliability) == 1 ||
		            sscanf(word[i], "interleaving=%d", &set_to.interleaving) == 1 ||
		            sscanf(word[i], "nr_sack=%d", &set_to.nr_sack) == 1 ||
		            sscanf(word[i], "stream_reconfiguration=%d", &set_to.stream_reconfiguration) == 1 ||
		            sscanf(word[i], "send_buffer=%d", &set_to.send_buffer) == 1;

		errno = EINVAL;
		check(!known, word[i]);
	}
}

int main(int words, char **word)
{
	struct sctp_status status = { 0 };
	socklen_t length = sizeof status;
	char line[128];
	pthread_t reader;

	if (words < 6) {
		fprintf(stderr, "usage: extension_peer listen|open LOCAL REMOTE UDP_PORT SCTP_PORT [KEY=VALUE ...]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	read_settings(words - 6, word + 6);
	usrsctp_init(atoi(word[4]), NULL, NULL);
	usrsctp_sysctl_set_sctp_pr_enable(set_to.partial_reliability);
	usrsctp_sysctl_set_sctp_reconfig_enable(set_to.stream_reconfiguration);
	usrsctp_sysctl_set_sctp_nrsack_enable(set_to.nr_sack);
	struct socket *sock = meet(strcmp(word[1], "open") == 0, word[2], word[3], atoi(word[4]), atoi(word[5]));

	check(usrsctp_getsockopt(sock, IPPROTO_SCTP, SCTP_STATUS, &status, &length) < 0, "SCTP_STATUS");
	printf("open %u %u\n", status.sstat_outstrms, status.sstat_instrms);
	check(pthread_create(&reader, NULL, receive_all, sock) != 0, "pthread_create");
	while (fgets(line, sizeof line, stdin)) {
		if (obey(sock, line) < 0)
			printf("failed %.*s: %s\n", (int)strcspn(line, "\n"), line, strerror(errno));
		else
			puts("done");
	}
	return 0;
}
