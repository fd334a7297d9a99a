/* usrsctp behind a UDP socket of this program's own, so that the ECN bits pass: its own sockets neither write nor read
 * them. One association over one path: an INIT cannot hold usrsctp's addresses that are not IP addresses.
 *
 *     ecn_peer listen|open receive LOCAL REMOTE UDP_PORT SCTP_PORT
 *     ecn_peer listen|open send    LOCAL REMOTE UDP_PORT SCTP_PORT MESSAGES SIZE
 *
 * SCTP packets are the payload of UDP datagrams (RFC 6951), with the same ports at both ends. A listener prints
 * "ready". At the end one line says what was counted, as key=value, and the program stays until its input ends: its
 * association may still have to answer (RFC 9260, 8.4). */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <usrsctp.h>

#include "peer.h"

enum { BUFFER = 1 << 20, UDP_BUFFER = 4 << 20, PACKET = 1 << 16, ECN = 3, ECT_0 = 2, CE = 3 };

/* The socket; its address is the name that usrsctp has for the path. */
static struct wire {
	int file, family;
	atomic_ulong sent, capable, arrived, marked;
} wire;

/* What passed to or from the application. */
static struct {
	unsigned long messages, bytes;
	uint32_t sum;
	double from, until;
} count = { .sum = 1 };

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

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

static void note(const uint8_t *bytes, size_t length, int ends_message)
{
	count.until = seconds();
	if (count.bytes == 0)
		count.from = count.until;
	count.bytes += length;
	count.messages += ends_message;
	count.sum = adler32(count.sum, bytes, length);
}

/* usrsctp has a packet to send; `tos` has the ECN bits that it wants. */
static int output(void *path, void *packet, size_t length, uint8_t tos, uint8_t set_df)
{
	struct iovec part = { packet, length };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr aligned;
	} control = { { 0 } };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *field = &control.aligned;
	int value = tos;

	(void)path;
	(void)set_df;
	message.msg_control = &control;
	message.msg_controllen = sizeof control;
	field->cmsg_level = wire.family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6;
	field->cmsg_type = wire.family == AF_INET ? IP_TOS : IPV6_TCLASS;
	field->cmsg_len = CMSG_LEN(sizeof value);
	memcpy(CMSG_DATA(field), &value, sizeof value);
	if (sendmsg(wire.file, &message, 0) < 0)
		return errno;
	wire.sent++;
	wire.capable += (tos & ECN) == ECT_0;
	return 0;
}

/* The type of service or traffic class with which a packet arrived. */
static uint8_t traffic_class(struct msghdr *message)
{
	for (struct cmsghdr *field = CMSG_FIRSTHDR(message); field; field = CMSG_NXTHDR(message, field)) {
		int value = 0;

		if (field->cmsg_level == IPPROTO_IP && field->cmsg_type == IP_TOS)
			return *CMSG_DATA(field);
		if (field->cmsg_level == IPPROTO_IPV6 && field->cmsg_type == IPV6_TCLASS) {
			memcpy(&value, CMSG_DATA(field), sizeof value);
			return value;
		}
	}
	return 0;
}

/* Hands each packet that arrives to usrsctp, with its ECN bits. */
static void *input(void *nothing)
{
	static uint8_t packet[PACKET];

	for (;;) {
		char control[CMSG_SPACE(sizeof(int))];
		struct iovec part = { packet, sizeof packet };
		struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

		message.msg_control = control;
		message.msg_controllen = sizeof control;
		ssize_t length = recvmsg(wire.file, &message, 0);

		/* While the other end has no socket yet, the kernel tells of its refusals. */
		if (length <= 0)
			continue;
		uint8_t bits = traffic_class(&message) & ECN;

		wire.arrived++;
		wire.marked += bits == CE;
		usrsctp_conninput(&wire, packet, length, bits);
	}
	return nothing;
}

static void set(int level, int option, int value, const char *what)
{
	check(setsockopt(wire.file, level, option, &value, sizeof value) < 0, what);
}

static void open_wire(const char *local, const char *remote, uint16_t port)
{
	struct sockaddr_storage from = address(local, port), to = address(remote, port);
	int size = UDP_BUFFER;

	wire.family = from.ss_family;
	wire.file = socket(wire.family, SOCK_DGRAM, IPPROTO_UDP);
	check(wire.file < 0, "socket");
	if (wire.family == AF_INET)
		set(IPPROTO_IP, IP_RECVTOS, 1, "IP_RECVTOS");
	else
		set(IPPROTO_IPV6, IPV6_RECVTCLASS, 1, "IPV6_RECVTCLASS");
	/* What waits while this program does not run shall not be lost; only root may ask for that much. */
	if (setsockopt(wire.file, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		set(SOL_SOCKET, SO_RCVBUF, size, "SO_RCVBUF");
	check(bind(wire.file, (struct sockaddr *)&from, sizeof from) < 0, "bind");
	check(connect(wire.file, (struct sockaddr *)&to, sizeof to) < 0, "connect");
}

static struct sockaddr_conn on_wire(uint16_t port)
{
	return (struct sockaddr_conn){ .sconn_family = AF_CONN, .sconn_port = htons(port), .sconn_addr = &wire };
}

/* The association: opened to the other end, or by it. */
static struct socket *meet(int opens, uint16_t port)
{
	struct sockaddr_conn end = on_wire(port);
	struct socket *sock = usrsctp_socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	int size = BUFFER;

	check(sock == NULL, "usrsctp_socket");
	check(usrsctp_setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) < 0, "SO_RCVBUF");
	check(usrsctp_setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) < 0, "SO_SNDBUF");
	check(usrsctp_bind(sock, (struct sockaddr *)&end, sizeof end) < 0, "usrsctp_bind");
	if (opens) {
		check(usrsctp_connect(sock, (struct sockaddr *)&end, sizeof end) < 0, "usrsctp_connect");
		return sock;
	}
	check(usrsctp_listen(sock, 1) < 0, "usrsctp_listen");
	puts("ready");
	sock = usrsctp_accept(sock, NULL, NULL);
	check(sock == NULL, "usrsctp_accept");
	return sock;
}

/* Reads until the other end has closed the association. */
static void receive_all(struct socket *sock)
{
	static uint8_t buffer[BUFFER];

	for (;;) {
		struct sctp_rcvinfo information;
		socklen_t from_length = 0, length = sizeof information;
		unsigned int type = 0;
		int flags = 0;
		ssize_t n = usrsctp_recvv(sock, buffer, sizeof buffer, NULL, &from_length, &information, &length,
		                          &type, &flags);

		check(n < 0, "usrsctp_recvv");
		if (n == 0)
			return;
		note(buffer, n, (flags & MSG_EOR) != 0);
	}
}

/* Sends messages of which no two places are alike, in one stream, and waits until all have arrived. */
static void send_all(struct socket *sock, unsigned long messages, size_t size)
{
	struct sctp_sndinfo information = { 0 };
	uint8_t *message = malloc(size);
	uint64_t state = 0x9e3779b97f4a7c15;

	check(message == NULL, "malloc");
	for (unsigned long number = 0; number < messages; number++) {
		for (size_t i = 0; i < size; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			message[i] = state >> 56;
		}
		ssize_t n = usrsctp_sendv(sock, message, size, NULL, 0, &information, sizeof information,
		                          SCTP_SENDV_SNDINFO, 0);

		check(n != (ssize_t)size, "usrsctp_sendv");
		note(message, size, 1);
	}
	free(message);
	check(usrsctp_shutdown(sock, SHUT_WR) < 0, "usrsctp_shutdown");
	receive_all(sock);
	count.until = seconds();
}

static void report(void)
{
	struct sctpstat stat;

	usrsctp_get_stat(&stat);
	printf("messages=%lu bytes=%lu sum=%08x seconds=%.3f", count.messages, count.bytes, count.sum,
	       count.until - count.from);
	printf(" sent=%lu capable=%lu arrived=%lu marked=%lu", wire.sent, wire.capable, wire.arrived, wire.marked);
	printf(" echoes_sent=%u echoes_received=%u cuts=%u again=%u\n", stat.sctps_sendecne, stat.sctps_recvecne,
	       stat.sctps_ecnereducedcwnd, stat.sctps_sendretransdata);
}

int main(int words, char **word)
{
	pthread_t reader;

	if (words != 7 && words != 9) {
		fprintf(stderr, "usage: ecn_peer listen|open receive|send LOCAL REMOTE UDP_PORT SCTP_PORT [MESSAGES SIZE]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	open_wire(word[3], word[4], atoi(word[5]));
	usrsctp_init(0, output, NULL);
	usrsctp_sysctl_set_sctp_ecn_enable(1);
	usrsctp_register_address(&wire);
	check(pthread_create(&reader, NULL, input, NULL) != 0, "pthread_create");
	struct socket *sock = meet(strcmp(word[1], "open") == 0, atoi(word[6]));

	if (words == 9)
		send_all(sock, strtoul(word[7], NULL, 10), strtoul(word[8], NULL, 10));
	else
		receive_all(sock);
	report();
	while (getchar() != EOF)
		continue;
	return 0;
}
