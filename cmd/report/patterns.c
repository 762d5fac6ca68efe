// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/report/patterns.h"

#define HEX "0123456789abcdefABCDEF"

/* Letters of "https". */
#define SCHEME_MAX 16

int pattern_is_edge(char c)
{
	return !isalnum((unsigned char)c);
}

static char before(const char *text, const char *at)
{
	return at > text ? at[-1] : '\0';
}

/* Whether a number may end here, so that it is not part of a longer one. */
static int ends(const char *at, char separator)
{
	return pattern_is_edge(*at) && (*at != separator || pattern_is_edge(at[1]));
}

/* Groups of @digits hexadecimal digits, at least @least, at most @most of them.  Return: bytes. */
static size_t match_groups(const char *at, size_t digits, char separator, size_t least, size_t most)
{
	const char *end = at;
	size_t groups = 0;

	while (strspn(end, HEX) == digits) {
		end += digits;
		groups++;
		if (*end != separator || strspn(end + 1, HEX) != digits)
			break;
		end++;
	}
	return groups >= least && groups <= most && ends(end, separator) ? (size_t)(end - at) : 0;
}

/* "506b:4b03:00c3:1a2c" */
static size_t match_guid(const char *text, const char *at)
{
	return before(text, at) == ':' ? 0 : match_groups(at, 4, ':', 4, 4);
}

/* "50:6b:4b:c3:1a:2c", also with dashes, and the longer ones of IPoIB */
static size_t match_mac(const char *text, const char *at)
{
	const char first = before(text, at);
	size_t length = first == ':' ? 0 : match_groups(at, 2, ':', 6, 20);

	return length || first == '-' ? length : match_groups(at, 2, '-', 6, 20);
}

/* "506b.4bc3.1a2c", but not a version: a digit is a letter */
static size_t match_dotted_mac(const char *text, const char *at)
{
	const size_t length = before(text, at) == '.' ? 0 : match_groups(at, 4, '.', 3, 4);

	return length && strcspn(at, "abcdefABCDEF") < length ? length : 0;
}

/* What stands behind "enx" and "rocex" in the name of an interface or device: an address without separators */
static size_t match_name_by_address(const char *text, const char *at)
{
	const size_t length = strspn(at, HEX);

	return before(text, at) == 'x' && (length == 12 || length == 16) &&
			       pattern_is_edge(at[length])
		       ? length
		       : 0;
}

/* What inet_pton(3) takes; but not "0::" of /proc/self/cgroup, nor "::1". */
static size_t match_ipv6(const char *text, const char *at)
{
	char address[INET6_ADDRSTRLEN];
	size_t length, digits = 0;
	struct in6_addr binary;

	if (before(text, at) == ':' || before(text, at) == '.' || *at == '.' ||
	    (*at == ':' && at[1] != ':'))
		return 0;
	length = strspn(at, HEX ":.");
	while (length && (at[length - 1] == '.' ||
			  (at[length - 1] == ':' && (length < 2 || at[length - 2] != ':'))))
		length--;
	if (length >= sizeof(address) || !pattern_is_edge(at[length]))
		return 0;
	for (size_t i = 0; i < length; i++)
		digits += isxdigit((unsigned char)at[i]) != 0;
	memcpy(address, at, length);
	address[length] = '\0';
	return digits >= 4 && strchr(address, ':') && inet_pton(AF_INET6, address, &binary) == 1
		       ? length
		       : 0;
}

static size_t quad_length(const char *at)
{
	const size_t length = strspn(at, "0123456789.");
	char address[INET_ADDRSTRLEN];
	struct in_addr binary;
	size_t kept = length;

	while (kept && at[kept - 1] == '.')
		kept--;
	if (kept >= sizeof(address))
		return 0;
	memcpy(address, at, kept);
	address[kept] = '\0';
	return inet_pton(AF_INET, address, &binary) == 1 ? kept : 0;
}

/* Whether four numbers end just before a dash: then a range of addresses goes on behind it. */
static int follows_quad(const char *text, const char *dash)
{
	const char *start = dash;

	while (start > text && strchr("0123456789.", start[-1]) && start[-1])
		start--;
	return quad_length(start) == (size_t)(dash - start);
}

/* "192.0.2.7", but not a part of a version: "23.10-0.5.5.0" */
static size_t match_ipv4(const char *text, const char *at)
{
	const char first = before(text, at);
	const bool may_begin =
		isdigit((unsigned char)*at) && first != '.' && first != '_' && first != '+';
	const size_t length = may_begin ? quad_length(at) : 0;

	if (!length || (first == '-' && !follows_quad(text, at - 1)))
		return 0;
	return pattern_is_edge(at[length]) && at[length] != '_' ? length : 0;
}

/* "123e4567-e89b-12d3-a456-426614174000", also with underscores, as in names of control groups */
static size_t match_uuid(const char *text __attribute__((unused)), const char *at)
{
	static const size_t groups[] = { 8, 4, 4, 4, 12 };
	const char *end = at;

	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		if (i && *end != '-' && *end != '_')
			return 0;
		end += i > 0;
		if (strspn(end, HEX) != groups[i])
			return 0;
		end += groups[i];
	}
	return pattern_is_edge(*end) ? (size_t)(end - at) : 0;
}

/* The number of a container or machine: 32 digits or more */
static size_t match_long_hex(const char *text __attribute__((unused)), const char *at)
{
	const size_t length = strspn(at, HEX);

	return length >= 32 && pattern_is_edge(at[length]) ? length : 0;
}

/* 16 digits in a text that is about a GUID */
static size_t match_bare_guid(const char *text, const char *at)
{
	const size_t prefix = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? 2 : 0;

	return strspn(at + prefix, HEX) == 16 && pattern_is_edge(at[prefix + 16]) &&
			       strcasestr(text, "guid")
		       ? prefix + 16
		       : 0;
}

/* What follows "serial number:", "S/N" or "SN:" */
static size_t match_serial(const char *text, const char *at)
{
	static const char *const labels[] = { "serial number", "serial", "s/n", "sn" };
	const char *end = at;

	while (isalnum((unsigned char)*at) && end > text && strchr(" :=#", end[-1]))
		end--;
	if (end == at || !strncasecmp(at, "number", strlen("number")))
		return 0;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		const size_t length = strlen(labels[i]);

		if ((size_t)(end - text) >= length &&
		    !strncasecmp(end - length, labels[i], length) &&
		    pattern_is_edge(before(text, end - length)) && strcspn(at, " ,;)\"'") > 3)
			return strcspn(at, " ,;)\"'\n");
	}
	return 0;
}

/* "https://user:word@host/?token=x"; a file's is a path. */
static size_t match_url(const char *text, const char *at)
{
	size_t length = 0;

	if (!isalpha((unsigned char)*at) || !pattern_is_edge(before(text, at)))
		return 0;
	while (length < SCHEME_MAX &&
	       (isalnum((unsigned char)at[length]) || (at[length] && strchr("+.-", at[length]))))
		length++;
	return strncmp(at + length, "://", 3) || !strncmp(at, "file:", 5)
		       ? 0
		       : length + strcspn(at + length, " \t\n\"'`<>|");
}

/* What follows "password=", "API_TOKEN: " or "Bearer " */
static size_t match_secret(const char *text, const char *at)
{
	static const char *const labels[] = { "password",      "passwd",  "passphrase",
					      "secret",        "token",   "_key",
					      "apikey",        "api-key", "credential",
					      "authorization", "bearer" };
	const char *end = at;

	if (!isgraph((unsigned char)*at))
		return 0;
	while (end > text && at - end < 4 && strchr(" :=\"'", end[-1]))
		end--;
	if (end == at ||
	    (!memchr(end, '=', (size_t)(at - end)) && !memchr(end, ':', (size_t)(at - end)) &&
	     strncasecmp(end - (end - text >= 6 ? 6 : 0), "bearer", 6) != 0))
		return 0;
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		const size_t length = strlen(labels[i]);

		if ((size_t)(end - text) >= length &&
		    !strncasecmp(end - length, labels[i], length) &&
		    strncasecmp(at, "bearer ", 7) != 0)
			return strchr("\"'", at[-1]) ? strcspn(at, "\"'\n")
						     : strcspn(at, " \t\n,;&\"'");
	}
	return 0;
}

/* "alice@site.example", but not "user@1000.service" of systemd */
static size_t match_mail(const char *text, const char *at)
{
	static const char *const units[] = { ".service", ".slice", ".scope", ".socket",
					     ".mount",   ".swap",  ".timer", ".target" };
	static const char rest[] = "._+-";
	size_t name = 0, length;

	if (!pattern_is_edge(before(text, at)) || (at > text && strchr(rest, at[-1])))
		return 0;
	while (isalnum((unsigned char)at[name]) || (at[name] && strchr(rest, at[name])))
		name++;
	if (!name || at[name] != '@')
		return 0;
	length = name + 1;
	while (isalnum((unsigned char)at[length]) || (at[length] && strchr(rest, at[length])))
		length++;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (memmem(at + name, length - name, units[i], strlen(units[i])))
			return 0;
	return memchr(at + name, '.', length - name) ? length : 0;
}

const struct pattern patterns[] = {
	{ "url", match_url },        { "secret", match_secret },
	{ "mail", match_mail },      { "serial", match_serial },
	{ "id", match_uuid },        { "id", match_long_hex },
	{ "mac", match_dotted_mac }, { "mac", match_name_by_address },
	{ "guid", match_guid },      { "mac", match_mac },
	{ "guid", match_bare_guid }, { "ip", match_ipv6 },
	{ "ip", match_ipv4 },        { NULL, NULL },
};
