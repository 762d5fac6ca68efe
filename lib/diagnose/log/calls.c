// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/log/log.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Names of other libraries and of the kernel for what ends in a call. */
static const struct {
	const char *call;
	const char *names[18];
} aliases[] = {
	{ "ibv_reg_mr",
	  { "fi_mr_reg", "fi_mr_regv", "fi_mr_regattr", "ibv_exp_reg_mr", "ibv_cmd_reg_mr",
	    "efa_cmd_reg_mr", "rdma_reg_msgs", "rdma_reg_read", "rdma_reg_write", "rpma_mr_reg",
	    "rpma_peer_mr_reg", "reg_user_mr", "ib_umem_get", "mr_umem_get", "rxe_umem_get",
	    "rxe_mr_init_user", "REG_MR" } },
	{ "ibv_reg_dmabuf_mr", { "ib_umem_dmabuf_get", "reg_user_mr_dmabuf" } },
	{ "ibv_dereg_mr", { "dereg_user_mr" } },
	{ "ibv_create_qp",
	  { "rdma_create_qp", "rdma_create_ep", "ibv_create_qp_ex", "mlx5dv_create_qp" } },
	{ "ibv_create_srq", { "rdma_create_srq", "ibv_create_srq_ex" } },
	{ "ibv_create_cq", { "ibv_create_cq_ex", "mlx5dv_create_cq" } },
};

struct alias {
	const char *name;
	const char *call;
};

/* Commands of mlx5's firmware, and the calls that send them. */
static const struct alias commands[] = {
	{ "CREATE_MKEY", "ibv_reg_mr" },         { "QUERY_MKEY", "ibv_reg_mr" },
	{ "DESTROY_MKEY", "ibv_dereg_mr" },      { "CREATE_UMEM", "mlx5dv_devx_umem_reg" },
	{ "ALLOC_PD", "ibv_alloc_pd" },          { "DESTROY_UMEM", "mlx5dv_devx_umem_dereg" },
	{ "DEALLOC_PD", "ibv_dealloc_pd" },      { "ALLOC_UAR", "ibv_open_device" },
	{ "CREATE_UCTX", "mlx5dv_open_device" }, { "ALLOC_MEMIC", "ibv_alloc_dm" },
	{ "DEALLOC_MEMIC", "ibv_free_dm" },      { "CREATE_CQ", "ibv_create_cq" },
	{ "CREATE_QP", "ibv_create_qp" },
};

/* ---- names ---- */

/* Whether a word is the name, or ends with it as "wrap_ibv_reg_mr" does. */
static bool is_name(const struct mr_token *token, const char *name)
{
	const size_t length = memchr(token->text, *name, token->length) ? strlen(name) : 0;

	return length && token->length >= length &&
	       !strncmp(token->text + token->length - length, name, length) &&
	       (token->length == length || token->text[token->length - length - 1] == '_');
}

static const char *find_alias(const struct mr_token *token)
{
	if (!memchr(token->text, '_', token->length))
		return NULL;
	for (size_t i = 0; i < COUNT(aliases); i++)
		for (const char *const *name = aliases[i].names; *name; name++)
			if (is_name(token, *name))
				return aliases[i].call;
	return NULL;
}

const char *mr_log_call_of(const struct mr_token *token)
{
	const char *name = memmem(token->text, token->length, "ibv_", 4);

	name = name ? name : memmem(token->text, token->length, "mlx5dv_", 7);
	if (!name || (name > token->text && name[-1] != '_'))
		return NULL;
	return mr_call_find(name, token->length - (size_t)(name - token->text));
}

static bool has_call(const struct mr_tokens *tokens, size_t from, size_t end)
{
	for (; from < end; from++)
		if (mr_log_call_of(&tokens->list[from]))
			return true;
	return false;
}

/* Returns whether the line reports the success of the call, before it names another one: "f: ok; g: Bad address". */
static bool has_passed(const struct mr_tokens *tokens, size_t index)
{
	for (size_t i = index + 1; i < tokens->count; i++)
		if (mr_token_is(&tokens->list[i], "ok|success|successful|succeeded|passed") &&
		    !mr_token_is(&tokens->list[i - 1], "not"))
			return !has_call(tokens, index + 1, i) &&
			       has_call(tokens, i + 1, tokens->count);
	return false;
}

bool mr_log_is_mention(const struct mr_tokens *tokens, size_t index)
{
	for (size_t i = index < 4 ? 0 : index - 4; i < index; i++)
		if (mr_token_is(&tokens->list[i],
				"back|fallback|instead|retry|retrying|trying|use|using"))
			return true;
	return has_passed(tokens, index);
}

/* ---- words ---- */

static const char registering[] =
	"reg|register|registers|registered|registering|registration|registrations|"
	"registeration|registerin";
static const char freeing[] =
	"dereg|deregister|deregistering|unregister|unregistering|deregistration|unreg";
static const char making[] = "create|creating|creation|allocate|allocating|alloc|allocation";
/* Names of the object that is registered: those that nothing else has, and those of other things, too. */
static const char memory[] = "memory|mem|mr|mrs|umem|mkey|umr";
static const char exact[] = "mr|mrs|umem|mkey|umr"; /* nothing but RDMA has them */
static const char vague[] = "region|regions|buffer|buffers|buf|bufs|segment|segments|block|blocks|"
			    "ram|heap|chunk|range|address|ptr|tensor|tensors|dmabuf";
/* Words that may stand between a verb and its object, beside adjectives, and words that end the object. */
static const char article[] = "a|an|the|its|our|all|some|any|of";
static const char follower[] =
	"for|from|at|of|with|on|in|to|by|is|was|and|or|as|due|using|via|because|that|into|"
	"fail|failed|failing|fails|failure|error|err|errno|ret|rc|size|length|len|addr|"
	"returned|has|attempt|request|through|key|starting|beginning";

static bool ends(const struct mr_token *word)
{
	if (mr_token_is_sign(word, "-")) /* "user-mr", but "user MR - rc = -5" */
		return mr_token_is(&word[1], follower);
	return word->kind != MR_TOKEN_WORD || mr_token_is(word, follower);
}

/* Words that another subsystem than RDMA has in its lines about memory that it registers. */
static const char foreign[] =
	"vhost|vfio|xdp|xsk|kubelet|framebuffer|hotplug|cgroup|drm|gem|ext4|xfs|btrfs|v4l2|bpf|ebpf|"
	"libbpf|vulkan|opengl|gitlab|glab|pipewire|cufio|uring|ioring|liburing|tee|optee";
/* Words of other owners of memory, which lines about RDMA can have as well. */
static const char owners[] =
	"kvm|vm|vmm|guest|hypervisor|xen|virtio|slot|slots|memslot|bar|bar0|bar1|bar2|bar3|bar4|bar5|"
	"shm|ashmem|trustzone|enclave|malloc|jemalloc|tcmalloc|mimalloc|arena|allocator|jvm|mlock|"
	"mlockall|swap|mmap|postgres|innodb|lmdb|mongod|rocksdb|carveout|remoteproc|fastrpc|dsp|"
	"memorymanager";
/* The same of merge requests, which are called MR. */
static const char reviews[] =
	"branch|reviewer|assignee|approver|approval|repository|renovate|draft";

static bool is_object(const struct mr_token *word)
{
	return mr_token_is(word, memory) || mr_token_is(word, vague);
}

/*
 * The object behind a verb, of which the last noun counts: "memory manager state" is none.  NULL: there is none.
 * Sets is_vague to whether none of its nouns is memory, and is_exact to whether one is of RDMA alone.
 */
static const struct mr_token *find_object(const struct mr_token *word, struct mr_log_line *line)
{
	const struct mr_token *found = NULL;

	line->is_vague = true;
	line->is_exact = false;
	for (int i = 0; i < 6 && (word->kind == MR_TOKEN_WORD || mr_token_is_sign(word, "-"));
	     i++, word++) {
		line->is_vague &= !mr_token_is(word, memory);
		line->is_exact |= mr_token_is(word, exact);
		if (!is_object(word)) {
			if (mr_token_is(word, follower) && !mr_token_is(word, article))
				break;
			found = NULL;
			continue;
		}
		found = word;
		if (ends(&word[1]))
			break;
	}
	return found && ends(&found[1]) ? found : NULL;
}

/* The call that makes what the word names; @is_last: words behind it do not change its meaning. */
static const char *find_made(const struct mr_token *word, bool *is_exact)
{
	static const struct {
		const char *names, *next; /* the word behind it; NULL: any */
		const char *call;
		bool is_last; /* nothing else is made, but a "queue" of it */
		bool is_exact;
	} made[] = {
		{ "cq|cqs", NULL, "ibv_create_cq", true, true },
		{ "completion", "queue|queues", "ibv_create_cq", true, true },
		{ "qp|qps|queuepair", NULL, "ibv_create_qp", true, true },
		{ "queue", "pair|pairs", "ibv_create_qp", true, true },
		{ "srq", NULL, "ibv_create_srq", true, true },
		{ "pd", NULL, "ibv_alloc_pd", true, false },
		{ "dm", NULL, "ibv_alloc_dm", true, false },
		{ "dm", "memory|buffer", "ibv_alloc_dm", false, false },
		{ "mr", NULL, "ibv_reg_mr", true, true },
		{ "mkey", NULL, "ibv_reg_mr", false, true },
		{ "mtr", NULL, "ibv_reg_mr", false, false },
		{ "memory", "region", "ibv_reg_mr", false, false },
	};
	const struct mr_token *next = &word[1];
	const struct mr_token *behind = next + mr_token_is(next, "queue|queues|pair|pairs");
	const bool is_last = ends(behind) || mr_token_is(behind, making);

	for (size_t k = 0; k < COUNT(made); k++)
		if (mr_token_is(word, made[k].names) &&
		    (!made[k].next || mr_token_is(next, made[k].next)) &&
		    (is_last || !made[k].is_last)) {
			*is_exact = made[k].is_exact;
			return made[k].call;
		}
	return NULL;
}

/* "create a verbs MR", "CQ creation", "queue pair create": the call that makes it. */
static const char *find_making(const struct mr_tokens *words, size_t at, bool *is_exact)
{
	const struct mr_token *word = &words->list[at];
	const char *call = NULL;

	for (size_t i = 1; i < 5 && word[i].kind == MR_TOKEN_WORD && !call; i++)
		call = find_made(&word[i], is_exact);
	if (!call && ends(&word[1]) && at)
		call = find_made(&word[-1], is_exact);
	if (!call && ends(&word[1]) && at > 1 && mr_token_is(&word[-2], "completion|queue"))
		call = find_made(&word[-2], is_exact);
	return call;
}

/* "registration failed", alone */
static bool is_bare(const struct mr_tokens *words, size_t i)
{
	return (!i || words->list[i - 1].kind != MR_TOKEN_WORD) &&
	       mr_token_is(&words->list[i], "registration|registrations|registeration") &&
	       ends(&words->list[i + 1]);
}

/* Words in this order, with any text before and after them. */
static const struct {
	const char *words[4];
	const char *call;
} phrases[] = {
	{ { "ib", "devices", "list" }, "ibv_get_device_list" }, /* ibv_devices */
	{ { "ib", "device", "list" }, "ibv_get_device_list" },
	{ { "export", "dm" }, "ibv_dm_export_dmabuf_fd" },
	{ { "deallocate", "pd" }, "ibv_dealloc_pd" },
	{ { "dealloc", "pd" }, "ibv_dealloc_pd" },
	{ { "umem", "get" }, "ibv_reg_mr" },
	{ { "get", "umem" }, "ibv_reg_mr" },
	{ { "get", "dmabuf", "umem" }, "ibv_reg_mr" },
	/* siw, irdma, hns */
	{ { "mr", "[", "stag" }, "ibv_reg_mr" },
	{ { "allocate", "stag" }, "ibv_reg_mr" },
	{ { "mr", "reg", "non" }, "ibv_reg_mr" },
	{ { "create", "mpt" }, "ibv_reg_mr" },
	{ { "sw2", "hw", "mpt" }, "ibv_reg_mr" },
	{ { "write", "mtpt" }, "ibv_reg_mr" },
	{ { "out", "of", "mr", "size" }, "ibv_reg_mr" },
	{ { "pin", "and", "map" }, "ibv_reg_mr" },
	{ { "internal", "receive", "buffers" },
	  "ibv_reg_mr" }, /* libfabric's EFA, which registers them */
};

static const char *find_phrase(const struct mr_token *word)
{
	for (size_t i = 0; i < COUNT(phrases); i++) {
		size_t k = 0;

		if (*word->lower != *phrases[i].words[0])
			continue;
		while (k < COUNT(phrases[i].words) && phrases[i].words[k] &&
		       (!strcmp(word[k].lower, phrases[i].words[k]) ||
			mr_token_is_sign(&word[k], phrases[i].words[k])))
			k++;
		if (k == COUNT(phrases[i].words) || !phrases[i].words[k])
			return phrases[i].call;
	}
	return NULL;
}

/* "register [0x7f0000000000, ..." */
static bool is_range(const struct mr_token *word)
{
	return mr_token_is_sign(word, "[(") && word[1].is_hex && word[1].value >> 32;
}

static bool begins(const struct mr_token *word, const char *text)
{
	return !strncmp(word->lower, text, strlen(text));
}

static const char *call_at(struct mr_log_line *line, const struct mr_tokens *words, size_t i)
{
	const struct mr_token *word = &words->list[i], *of;
	const char *call = find_phrase(word);
	size_t amount = 0;

	line->is_exact = call;
	if (call)
		return call;
	/* strncmp() first: most words are none of these, which have their beginning in common. */
	if (begins(word, "reg") && mr_token_is(word, registering)) {
		/* "register 4096 bytes of memory" */
		if (word[1].kind == MR_TOKEN_NUMBER &&
		    mr_token_is(&word[2], "bytes|kib|mib|gib|kb|mb|gb|pages"))
			amount = 2;
		of = find_object(word + 1 + amount, line);
		if (of)
			return mr_token_is(of, "umem") ? "mlx5dv_devx_umem_reg" : "ibv_reg_mr";
		line->is_vague = line->is_exact = false;
		if (i && is_object(word - 1) && ends(word + 1)) {
			line->is_exact = mr_token_is(word - 1, exact);
			line->is_vague = mr_token_is(word - 1, vague) &&
					 !(i > 1 && mr_token_is(word - 2, memory));
			return "ibv_reg_mr";
		}
		line->is_bare = is_bare(words, i);
		return line->is_bare || is_range(word + 1) ? "ibv_reg_mr" : NULL;
	}
	if ((begins(word, "dereg") || begins(word, "unreg")) && mr_token_is(word, freeing))
		return find_object(word + 1, line) ? "ibv_dereg_mr" : NULL;
	if ((begins(word, "creat") || begins(word, "alloc")) && mr_token_is(word, making))
		return find_making(words, i, &line->is_exact);
	return NULL;
}

static bool is_foreign(const struct mr_tokens *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct mr_token *word = &words->list[i];

		if (mr_token_is(word, foreign) ||
		    (mr_token_is(word, "cuda|hip") && mr_token_is(&word[1], "host")) ||
		    (mr_token_is(word, "merge") && mr_token_is(&word[1], "request")) ||
		    (mr_token_is_sign(word, "!") && word[1].kind == MR_TOKEN_NUMBER) ||
		    (word->is_hex && word->value >> 16 == 0x8007)) /* HRESULT of Windows */
			return true;
	}
	return false;
}

/* Whether the line has words of another owner of memory. */
static bool has_owner(const struct mr_log_line *line, const struct mr_tokens *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct mr_token *word = &words->list[i];

		if (mr_token_is(word, owners) || (line->is_exact && mr_token_is(word, reviews)) ||
		    (mr_token_is(word, "shared") &&
		     mr_token_is(&word[1], "memory|mem|segment|buffer")) ||
		    (mr_token_is(word, "memory|mem") &&
		     mr_token_is(&word[1], "manager|map|table|failure")))
			return true;
	}
	return false;
}

static bool is_about_dmabuf(const struct mr_tokens *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct mr_token *word = &words->list[i];

		if (!strncmp(word->lower, "dmabuf", 6))
			return true;
		if (mr_token_is(word, "dma") &&
		    !strncmp(word[1 + mr_token_is_sign(&word[1], "-")].lower, "buf", 3))
			return true;
	}
	return false;
}

/* ---- both ---- */

/* Return: a call that the line names, but not as the refused one; NULL: none. */
static const char *find_named(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const char *mentioned = NULL;

	const char *text = tokens->list->text;
	/* Most lines have no name of a call. */
	const bool has_name = strstr(text, "ibv_") || strstr(text, "mlx5dv_");

	for (size_t i = 0; i < tokens->count && has_name && !line->call; i++) {
		const char *call = mr_log_call_of(&tokens->list[i]);

		if (call && mr_log_is_mention(tokens, i))
			mentioned = call;
		else
			line->call = call;
	}
	line->is_named = line->call;
	for (size_t i = 0; i < COUNT(commands) && !line->call; i++)
		if (!strcasecmp(line->command, commands[i].name))
			line->call = commands[i].call;
	for (size_t i = 0; i < tokens->count && !line->call && !line->command[0]; i++)
		line->call = find_alias(&tokens->list[i]);
	return mentioned;
}

void mr_log_find_call(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const char *mentioned = find_named(line, tokens);
	struct mr_tokens words;

	if (line->is_named || line->command[0])
		return;
	mr_tokens_read(&words, tokens->list->text,
		       (size_t)(tokens->list[tokens->count].text - tokens->list->text), true);
	if (!line->call) {
		for (size_t i = 0; i < words.count && !line->call; i++)
			line->call = call_at(line, &words, i);
		/* Most lines have no call, and their other words do not matter. */
		if (line->call || line->is_memlock) {
			line->is_foreign = is_foreign(&words);
			line->has_owner = has_owner(line, &words);
		}
		if (line->is_foreign) {
			line->call = NULL;
			line->is_vague = line->is_bare = false;
		}
	}
	if (line->call && !strcmp(line->call, "ibv_reg_mr") && is_about_dmabuf(&words))
		line->call = "ibv_reg_dmabuf_mr";
	if (!line->call)
		line->call = mentioned;
}
