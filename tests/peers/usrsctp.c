/* One end of a transfer over usrsctp in UDP on the loopback interface, as fast as it goes.
 *
 *     usrsctp receive PORT BYTES MESSAGE     prints "ready", then the seconds from the first message to the last
 *     usrsctp send    PORT BYTES MESSAGE [BITS]     its own UDP port is PORT + 1; BITS is a rate in bit/s
 *
 * Buffers of 1 MiB at both ends, packets of up to 1,460 bytes, checksums written and verified, all else as the
 * library comes. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <usrsctp.h>

enum { SCTP_PORT = 9899, BUFFER = 1 << 20, PATH_MTU = 1460 };

static void check(int failed, const char *what)
{
	if (failed) {
		perror(what);
		exit(1);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

static struct socket *make_socket(uint16_t peer_port)
{
	struct socket *sock = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	struct sctp_udpencaps encapsulation = { .sue_port = htons(peer_port) };
	struct sctp_paddrparams path = { .spp_pathmtu = PATH_MTU, .spp_flags = SPP_PMTUD_DISABLE };
	int size = BUFFER;

	check(sock == NULL, "socket");
	encapsulation.sue_address.ss_family = AF_INET;
	path.spp_address.ss_family = AF_INET;
	check(usrsctp_setsockopt(sock, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) < 0, "SO_RCVBUF");
	check(usrsctp_setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) < 0, "SO_SNDBUF");
	check(usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_REMOTE_UDP_ENCAPS_PORT, &encapsulation,
	                         sizeof encapsulation) < 0, "SCTP_REMOTE_UDP_ENCAPS_PORT");
	check(usrsctp_setsockopt(sock, IPPROTO_SCTP, SCTP_PEER_ADDR_PARAMS, &path, sizeof path) < 0,
	      "SCTP_PEER_ADDR_PARAMS");
	return sock;
}

static struct sockaddr_in loopback(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(SCTP_PORT) };

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return address;
}

static void receive(uint16_t port, long long bytes)
{
	static char buffer[BUFFER];
	struct sockaddr_in address = loopback();
	struct socket *listener = make_socket(port + 1), *sock;
	double start = 0;
	long long got = 0;

	check(usrsctp_bind(listener, (struct sockaddr *)&address, sizeof address) < 0, "bind");
	check(usrsctp_listen(listener, 1) < 0, "listen");
	puts("ready");
	fflush(stdout);
	sock = usrsctp_accept(listener, NULL, NULL);
	check(sock == NULL, "accept");
	while (got < bytes) {
		struct sctp_rcvinfo information;
		socklen_t from_len = 0, information_len = sizeof information;
		unsigned int type = 0;
		int flags = 0;
		ssize_t n = usrsctp_recvv(sock, buffer, sizeof buffer, NULL, &from_len, &information,
		                          &information_len, &type, &flags);

		check(n <= 0, "recvv");
		if (got == 0)
			start = seconds();
		got += n;
	}
	printf("%.6f\n", seconds() - start);
	fflush(stdout);
	usrsctp_close(sock);
	usrsctp_close(listener);
}

/* Waits until `sent` bytes are due, at least a millisecond, as the other programs do. */
static void pause_for(double began, long long sent, double rate)
{
	double left = rate > 0 ? began + sent * 8 / rate - seconds() : 0;

	if (left > 0)
		usleep(left < 0.001 ? 1000 : left * 1e6);
}

static void send_all(uint16_t port, long long bytes, size_t message, double rate)
{
	struct sockaddr_in address = loopback();
	struct socket *sock = make_socket(port);
	struct sctp_sndinfo information = { 0 };
	char *buffer = calloc(1, message);

	check(buffer == NULL, "calloc");
	check(usrsctp_connect(sock, (struct sockaddr *)&address, sizeof address) < 0, "connect");
	double began = seconds();
	for (long long sent = 0; sent < bytes; sent += message) {
		pause_for(began, sent, rate);
		ssize_t n = usrsctp_sendv(sock, buffer, message, NULL, 0, &information, sizeof information,
		                          SCTP_SENDV_SNDINFO, 0);

		check(n != (ssize_t)message, "sendv");
	}
	usrsctp_close(sock);
}

int main(int count, char **arguments)
{
	if (count != 5 && count != 6) {
		fprintf(stderr, "usage: usrsctp receive|send PORT BYTES MESSAGE [BITS]\n");
		return 2;
	}
	int is_sender = strcmp(arguments[1], "send") == 0;
	uint16_t port = atoi(arguments[2]);
	long long bytes = atoll(arguments[3]);

	usrsctp_init(is_sender ? port + 1 : port, NULL, NULL);
	usrsctp_sysctl_set_sctp_no_csum_on_loopback(0);
	if (is_sender)
		send_all(port, bytes, atol(arguments[4]), count == 6 ? atof(arguments[5]) : 0);
	else
		receive(port, bytes);
	while (usrsctp_finish() != 0)
		usleep(10000);
	return 0;
}
