// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "lib/diagnose/causes/causes.h"

void mr_inquiry_init(struct mr_inquiry *inquiry, const struct mr_refusal *refusal,
		     struct mr_host *host)
{
	static const struct mr_environment unknown;

	*inquiry = (struct mr_inquiry){
		.refusal = refusal,
		.request = refusal->request,
		.environment = refusal->environment ? refusal->environment : &unknown,
		.operation = mr_operation_of(refusal),
		.host = host,
	};
}

/* Runs @read once; evaluates to whether the fact is known. */
#define KNOWN(fact, read)                                                                          \
	((fact) = (fact) != MR_FACT_NOT_READ ? (fact)                                              \
		  : (read)                   ? MR_FACT_KNOWN                                       \
					     : MR_FACT_UNKNOWN,                                                      \
	 (fact) == MR_FACT_KNOWN)

const struct mr_process_status *mr_inquiry_status(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_status,
		     !mr_process_status_read(inquiry->host, "self", &inquiry->status))
		       ? &inquiry->status
		       : NULL;
}

/* In a session libibverbs may not have the device open. */
static bool read_attributes(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	struct mr_error ignored;

	if (refusal->context)
		return !mr_attributes_query(refusal->context, &inquiry->attributes, &ignored);
	return refusal->uverbs &&
	       !mr_attributes_query_kernel(refusal->uverbs, &inquiry->attributes, &ignored);
}

const struct mr_attributes *mr_inquiry_attributes(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_attributes, read_attributes(inquiry)) ? &inquiry->attributes
									: NULL;
}

static bool read_kernel(struct mr_inquiry *inquiry)
{
	char release[65];

	inquiry->has_ofed = MR_NO;
	if (inquiry->environment->simulated_kernel[0])
		return mr_kernel_version(inquiry->environment->simulated_kernel, &inquiry->kernel);
	/* All of the modules of OFED need mlx_compat. */
	if (mr_kernel_has_module(inquiry->host, "mlx_compat"))
		inquiry->has_ofed = MR_YES;
	else if (!mr_host_exists(inquiry->host, "/sys/module"))
		inquiry->has_ofed = MR_UNKNOWN;
	if (!mr_kernel_release(inquiry->host, release, sizeof(release)))
		return false;
	inquiry->is_vendors = !mr_kernel_release_is_plain(release);
	return mr_kernel_version(release, &inquiry->kernel);
}

const struct mr_kernel_version *mr_inquiry_kernel(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_kernel, read_kernel(inquiry)) ? &inquiry->kernel : NULL;
}

const struct mr_place *mr_inquiry_place(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const char *device = refusal->device || !inquiry->environment->device[0]
				     ? refusal->device
				     : inquiry->environment->device;
	struct mr_place *place = &inquiry->place;
	struct mr_host *host = inquiry->host;
	char any[64];

	if (inquiry->has_place == MR_FACT_KNOWN)
		return place;
	inquiry->has_place = MR_FACT_KNOWN;
	*place = (struct mr_place){ .is_named = device != NULL };
	place->has_class = mr_host_exists(host, "/sys/class/infiniband_verbs");
	place->is_listed = mr_rdma_node_read(host, device, &place->node);
	place->opened = place->node.error;
	place->has_others = mr_rdma_device_find(host, NULL, any, sizeof(any));
	if (!device)
		device = place->is_listed ? place->node.device : place->has_others ? any : "";
	snprintf(place->device, sizeof(place->device), "%s", device);
	place->is_shown =
		place->device[0] && mr_rdma_device_find(host, place->device, any, sizeof(any));
	/*
	 * Another process has opened the node, or was refused: where libibverbs got to asking the kernel, it was open.
	 * No earlier call of ibv_open_device(3) fails with these errnos.
	 */
	if (!host->process)
		return place;
	place->opened = -ENODATA;
	if (inquiry->operation == MR_OP_OPEN && refusal->by_kernel == MR_YES)
		place->opened = 0;
	else if (inquiry->operation == MR_OP_OPEN &&
		 (refusal->errnum == EACCES || refusal->errnum == EPERM))
		place->opened = -refusal->errnum;
	return place;
}

enum mr_tristate mr_inquiry_kernel_since(struct mr_inquiry *inquiry, unsigned int major,
					 unsigned int minor)
{
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);

	if (!kernel || inquiry->has_ofed != MR_NO)
		return MR_UNKNOWN;
	if (mr_kernel_is_since(*kernel, major, minor))
		return MR_YES;
	return inquiry->is_vendors ? MR_UNKNOWN : MR_NO;
}

enum mr_tristate mr_inquiry_has_ofed(struct mr_inquiry *inquiry)
{
	mr_inquiry_kernel(inquiry);
	return inquiry->has_ofed;
}

uint32_t mr_inquiry_access(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (refusal->request)
		return refusal->request->access;
	return refusal->rereg && refusal->rereg->changes & MR_CHANGE_ACCESS
		       ? refusal->rereg->access
		       : refusal->region_access;
}

struct mr_finding mr_inquiry_check(const struct mr_inquiry *inquiry, const char *id,
				   const char *device)
{
	struct mr_question question = { .host = inquiry->host, .device = device };
	struct mr_finding finding = { .verdict = MR_VERDICT_NA };
	struct mr_range range;

	if (mr_inquiry_range(inquiry, &range))
		question.size = (struct mr_opt_u64){ range.length, true };
	else if (inquiry->request)
		question.size = (struct mr_opt_u64){ inquiry->request->length, true };
	mr_check_find(id, strlen(id))->look(&question, &finding);
	return finding;
}

struct mr_finding mr_suspect_by_check(const struct mr_inquiry *inquiry,
				      struct mr_suspicion *suspicion, const char *what,
				      enum mr_certainty warn, enum mr_certainty bad)
{
	const struct mr_finding finding = mr_inquiry_check(inquiry, suspicion->cause->id, NULL);

	if (finding.verdict == MR_VERDICT_OK)
		mr_rule_out(suspicion, "%s%s", what, finding.figure);
	if (finding.verdict < MR_VERDICT_WARN)
		return finding;
	mr_suspect(suspicion, finding.verdict == MR_VERDICT_BAD ? bad : warn, "%s%s", what,
		   finding.figure);
	mr_suspect_found(suspicion, finding);
	return finding;
}

void mr_suspect_found(struct mr_suspicion *suspicion, struct mr_finding finding)
{
	if (finding.remedy[0])
		mr_suspect_remedy(suspicion, "%s", finding.remedy);
	if (finding.detail[0])
		mr_evidence_text(suspicion, "detail", "%s", finding.detail);
}

const struct mr_mlx5_log_line *mr_inquiry_mlx5_log(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_log_line,
		     !inquiry->refusal->is_of_other_process && !inquiry->environment->simulated &&
			     mr_inquiry_is_driver(inquiry, "mlx5") &&
			     !mr_mlx5_log_read(inquiry->host, inquiry->environment->device,
					       &inquiry->log_line))
		       ? &inquiry->log_line
		       : NULL;
}

/* A stand-in for a dma-buf is one to the simulated HCA alone. */
static bool read_dmabuf(struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_region_request *request = refusal->request;
	struct mr_dmabuf_file *file = &inquiry->dmabuf;

	if (!request || refusal->is_of_other_process || !mr_region_is_dmabuf(request->call) ||
	    request->fd < 0 || mr_dmabuf_file_read(inquiry->host, request->fd, file))
		return false;
	file->is_dmabuf |= file->is_simulated && inquiry->environment->simulated;
	return true;
}

const struct mr_dmabuf_file *mr_inquiry_dmabuf(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_dmabuf, read_dmabuf(inquiry)) ? &inquiry->dmabuf : NULL;
}

bool mr_inquiry_range(const struct mr_inquiry *inquiry, struct mr_range *range)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_region_request *request = refusal->request;

	if (request && mr_call_row(request->call)->on == MR_ON_MEMORY)
		*range = (struct mr_range){ request->addr, request->length };
	else if (refusal->rereg && refusal->rereg->changes & MR_CHANGE_TRANSLATION)
		*range = (struct mr_range){ refusal->rereg->addr, refusal->rereg->length };
	else
		return false;
	return true;
}

const struct mr_proven *mr_inquiry_proof(const struct mr_inquiry *inquiry)
{
	const struct mr_proven *proven = inquiry->refusal->proven;

	return proven && proven->layers ? proven : NULL;
}

const char *mr_inquiry_function(const struct mr_inquiry *inquiry)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);

	return proven ? mr_proven_function(proven) : NULL;
}

/* At most so many mappings are looked at, and so many of files. */
#define MAPPINGS_MAX 4096
#define FILES_MAX    16

/* A search through the mappings of a range. */
struct search {
	struct mr_inquiry *inquiry;
	uint64_t addr, end; /* what is still to be looked at: whole pages */
	bool writes;
	bool faults;        /* pages are faulted in, not pinned: mm/hmm.c hmm_range_fault() */
	unsigned int files; /* mappings of files that were looked at */
	struct mr_obstacle *found;
};

/* Whether the kernel is at least of this version.  A version that is not known is a recent one. */
static bool is_since(struct mr_inquiry *inquiry, unsigned int major, unsigned int minor)
{
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);

	return !kernel || mr_kernel_is_since(*kernel, major, minor);
}

bool mr_is_gpu_mapping(const struct mr_mapping *mapping)
{
	static const char *const nodes[] = { "/dev/nvidia", "/dev/kfd", "/dev/dri/",
					     "/dev/accel/", "/dev/hl",  "cuda:" };

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		if (!strncmp(mapping->path, nodes[i], strlen(nodes[i])))
			return true;
	return false;
}

static bool find_gpu(const struct mr_mapping *mapping, void *data)
{
	struct mr_mapping *node = data;

	if (!mr_is_gpu_mapping(mapping))
		return true;
	*node = *mapping;
	return false;
}

const struct mr_mapping *mr_obstacle_gpu(struct mr_inquiry *inquiry,
					 const struct mr_obstacle *obstacle)
{
	const struct mr_mapping *mapping = &obstacle->mapping;

	if (obstacle->kind == MR_OBSTACLE_DEVICE)
		return mr_is_gpu_mapping(mapping) ? mapping : NULL;
	if (obstacle->kind != MR_OBSTACLE_NO_ACCESS || mapping->path[0] || mapping->writable ||
	    mapping->executable)
		return NULL;
	return KNOWN(inquiry->has_gpu, (mr_mappings_walk(inquiry->host, 0, find_gpu, &inquiry->gpu),
					inquiry->gpu.path[0]))
		       ? &inquiry->gpu
		       : NULL;
}

/* ---- rules: each sets the obstacle that a mapping is, and returns whether it is one ---- */

static bool end_at(struct search *search, enum mr_obstacle_kind kind, bool is_decisive)
{
	search->found->kind = kind;
	search->found->is_decisive = is_decisive;
	search->found->addr = search->addr;
	return true;
}

/*
 * VM_IO and VM_PFNMAP, which smaps alone shows.  Without VM_PFNMAP there may be pages of the kernel, which are
 * pinned without a look at the mapping (mm/gup.c gup_fast()).
 */
static bool is_device(struct search *search)
{
	const struct mr_mapping *mapping = &search->found->mapping;
	const struct mr_mapped_file *file = &search->found->file;
	struct mr_mapping_details details;

	if (!file->can_be_device)
		return !strcmp(mapping->path, "[vvar]") && end_at(search, MR_OBSTACLE_DEVICE, true);
	if (mr_mapping_details_read(search->inquiry->host, mapping->start, &details))
		return file->type == S_IFCHR && strcmp(mapping->path, "/dev/zero") != 0 &&
		       end_at(search, MR_OBSTACLE_DEVICE, false);
	return (details.is_io || details.is_pfn) &&
	       end_at(search, MR_OBSTACLE_DEVICE, details.is_pfn);
}

/*
 * mm/gup.c writable_file_mapping_allowed() and mm/mmap.c vma_needs_dirty_tracking(), since Linux 6.5.  The rings of
 * perf events, which have no file system, are treated as such files are.
 */
static bool is_written_back(struct search *search, bool is_decisive)
{
	static const char in_memory[] = " tmpfs devtmpfs hugetlbfs ";
	static const char on_disk[] =
		" ext2 ext3 ext4 xfs btrfs f2fs nfs nfs4 vfat exfat ceph fuse gfs2 "
		"ocfs2 ramfs lustre fuseblk ";
	const struct mr_mapping *mapping = &search->found->mapping;
	const struct mr_mapped_file *file = &search->found->file;
	const bool is_certain = (file->is_found && file->type == S_IFBLK) ||
				!strcmp(mapping->path, "anon_inode:[perf_event]");
	char type[64];

	snprintf(type, sizeof(type), " %s ", file->upper[0] ? file->upper : file->filesystem);
	if (!search->writes || !mapping->shared || !mapping->writable || !mapping->inode ||
	    !is_since(search->inquiry, 6, 5))
		return false;
	if (!is_certain && (type[2] ? strstr(in_memory, type) != NULL : mapping->major == 0))
		return false;
	return is_decisive == (mr_inquiry_kernel(search->inquiry) &&
			       (is_certain || strstr(on_disk, type))) &&
	       end_at(search, MR_OBSTACLE_FILE, is_decisive);
}

/*
 * Permissions.  Before Linux 6.2, memory that the device only reads was pinned for writing by force, which a
 * private mapping stands (umem.c ib_umem_get(), FOLL_FORCE).  Kernels of distributions that call themselves 4 or
 * 5 may have been changed to do as newer ones.
 */
static bool lacks_permission(struct search *search)
{
	const struct mr_mapping *mapping = &search->found->mapping;
	const bool is_forced = !search->writes && !is_since(search->inquiry, 6, 2);
	const bool needs_write = search->writes || (is_forced && mapping->shared);

	if (needs_write ? mapping->writable : is_forced || mapping->readable)
		return false;
	return end_at(search, mapping->readable ? MR_OBSTACLE_READ_ONLY : MR_OBSTACLE_NO_ACCESS,
		      search->writes ||
			      (mr_inquiry_kernel_since(search->inquiry, 6, 0) == MR_YES &&
			       mr_inquiry_kernel_since(search->inquiry, 6, 2) != MR_UNKNOWN));
}

/* mm/filemap.c filemap_fault(): what is behind the last page of a file is SIGBUS, for pinning EFAULT */
static bool is_beyond_file(struct search *search)
{
	const struct mr_mapping *mapping = &search->found->mapping;
	const struct mr_mapped_file *file = &search->found->file;
	const uint64_t page = mr_page_size(search->inquiry->host), size = file->size.value;
	const uint64_t last = search->end < mapping->end ? search->end : mapping->end;
	const uint64_t whole = size > UINT64_MAX - page ? size : mr_round_up(size, page);
	const uint64_t behind = whole > mapping->offset ? whole - mapping->offset : 0;

	if (!file->is_found || file->type != S_IFREG || !file->size.known ||
	    behind >= last - mapping->start)
		return false;
	if (mapping->start + behind > search->addr)
		search->addr = mapping->start + behind;
	return end_at(search, MR_OBSTACLE_FILE_END, true);
}

/* ---- the search ---- */

/*
 * Notes the first mapping of huge pages, whose faults can fail; and a file with gaps on a full file system: a page for a
 * gap cannot be had (mm/shmem.c shmem_fault()).
 */
static void note_mapping(struct search *search)
{
	struct mr_obstacle *found = search->found;
	const struct mr_mapped_file *file = &found->file;
	const char *path = found->mapping.path;
	struct mr_mapping_details details;

	if (!found->has_huge &&
	    (!strcmp(file->filesystem, "hugetlbfs") || !strncmp(path, "/anon_hugepage", 14) ||
	     !strncmp(path, "/memfd:", 7) || !strncmp(path, "/SYSV", 5)) &&
	    !mr_mapping_details_read(search->inquiry->host, found->mapping.start, &details) &&
	    details.is_hugetlb) {
		found->has_huge = true;
		found->huge = found->mapping;
		found->huge_details = details;
	}
	if (!found->has_full && found->mapping.shared && file->free.known &&
	    file->free.value < mr_page_size(search->inquiry->host) &&
	    file->allocated.value < file->size.value) {
		found->has_full = true;
		found->full = found->mapping;
		found->full_file = *file;
	}
}

static bool end_at_hole(struct search *search, const struct mr_mapping *next)
{
	struct mr_obstacle *found = search->found;
	const bool is_followed = next && next->start < search->end;

	found->hole = (is_followed ? next->start : search->end) - search->addr;
	/* Before Linux 6.5 the kernel lets the stack grow into it (mm/gup.c find_extend_vma()). */
	return end_at(search,
		      is_followed       ? MR_OBSTACLE_HOLE
		      : found->mappings ? MR_OBSTACLE_END
					: MR_OBSTACLE_UNMAPPED,
		      is_since(search->inquiry, 6, 5) || !next ||
			      strcmp(next->path, "[stack]") != 0);
}

static bool visit(const struct mr_mapping *mapping, void *data)
{
	struct search *search = data;
	struct mr_obstacle *found = search->found;
	const struct mr_mapped_file *file = &found->file;

	if (mapping->start > search->addr)
		return !end_at_hole(search, mapping);
	search->files += mapping->inode != 0;
	if (found->mappings == MAPPINGS_MAX || search->files > FILES_MAX)
		return false;
	found->mappings++;
	found->mapping = *mapping;
	mr_mapped_file_read(search->inquiry->host, mapping, &found->file);
	found->has_file |= mapping->inode != 0;
	if (is_device(search))
		return false;
	/* mm/hmm.c hmm_vma_walk_test() answers EFAULT where the mapping may not be read, hmm_vma_fault() EPERM where not written. */
	if (search->faults && (!mapping->readable || (search->writes && !mapping->writable)))
		return !end_at(search,
			       mapping->readable ? MR_OBSTACLE_READ_ONLY : MR_OBSTACLE_NO_ACCESS,
			       true);
	if (!search->faults) {
		if (file->is_found && file->type == S_IFREG && file->is_dax == MR_YES)
			return !end_at(search, MR_OBSTACLE_DAX, true);
		/* mm/secretmem.c: its files are on no mount. */
		if (!strncmp(mapping->path, "/secretmem", 10) && !file->filesystem[0] &&
		    is_since(search->inquiry, 5, 14))
			return !end_at(search, MR_OBSTACLE_SECRET, true);
		if (is_written_back(search, true) || lacks_permission(search) ||
		    is_beyond_file(search) || is_written_back(search, false))
			return false;
		note_mapping(search);
	}
	search->addr = mapping->end;
	return search->addr < search->end;
}

static bool keep_mapping(const struct mr_mapping *mapping, void *data)
{
	*(struct mr_mapping *)data = *mapping;
	return false;
}

bool mr_mapping_find(struct mr_host *host, uint64_t addr, struct mr_mapping *mapping)
{
	*mapping = (struct mr_mapping){ .end = 0 };
	return !mr_mappings_walk(host, addr, keep_mapping, mapping) && mapping->end;
}

/*
 * Looks whether pinning came to the obstacle: for the first page before it that GUP has not pinned, as it pins the pages
 * in order, and leaves each one in memory (mm/gup.c __get_user_pages()).  It copies a private huge page before it pins
 * that for writing, for which the pool may have no page (mm/hugetlb.c hugetlb_wp()).
 */
static void look_before(struct search *search, uint64_t start)
{
	struct mr_host *host = search->inquiry->host;
	struct mr_obstacle *found = search->found;
	uint64_t end = found->kind ? found->addr : search->end;
	int own = 0,
	    rc = mr_absent_page_find(host, start, end,
				     search->writes ? MR_PAGE_WRITE : MR_PAGE_READ, &found->stop);

	if (rc > 0)
		end = found->stop.addr;
	end = end > found->huge.end ? found->huge.end : end;
	start = start < found->huge.start ? found->huge.start : start;
	if (found->has_huge && !found->huge.shared && search->writes && start < end)
		own = mr_absent_page_find(host, start, end, MR_PAGE_OWN, &found->stop);
	rc = own ? own : rc;
	if (!rc || rc == -ENODATA)
		return;
	found->is_decisive = false;
	if (rc < 0 || !mr_mapping_find(host, found->stop.addr, &found->stop_mapping))
		return;
	found->has_stop = true;
	if (!found->stop.is_guard)
		return;
	found->kind = MR_OBSTACLE_GUARD;
	found->is_decisive = true;
	found->addr = found->stop.addr;
	found->mapping = found->stop_mapping;
	mr_mapped_file_read(host, &found->mapping, &found->file);
}

static bool look_in(struct search *search, uint64_t addr, uint64_t length)
{
	const uint64_t page = mr_page_size(search->inquiry->host);
	const int errnum = search->inquiry->refusal->errnum;

	if (!length || mr_range_wraps(&(struct mr_range){ addr, length }, page))
		return false;
	mr_extend_to_pages(page, &addr, &length);
	search->addr = addr;
	search->end = addr + length;
	if (mr_mappings_walk(search->inquiry->host, addr, visit, search) ||
	    search->files > FILES_MAX)
		return false;
	if (!search->found->kind && search->addr < search->end) {
		if (search->found->mappings == MAPPINGS_MAX)
			return false;
		end_at_hole(search, NULL);
	}
	if (errnum == EFAULT || errnum == EOPNOTSUPP || search->faults)
		look_before(search, addr);
	return true;
}

static bool look(struct mr_inquiry *inquiry)
{
	const char *memory = inquiry->refusal->memory ?: "";
	struct search search = { .inquiry = inquiry,
				 .writes = mr_inquiry_access(inquiry) & MR_WRITING,
				 .found = &inquiry->obstacle };
	struct mr_range range;

	if (!mr_inquiry_range(inquiry, &range) || mr_inquiry_is_on_demand(inquiry))
		return false;
	/* Memory of --memory cuda:N: what is mapped there differs from driver to driver. */
	if (!strncmp(memory, "cuda:", 5)) {
		search.addr = range.addr & ~(mr_page_size(inquiry->host) - 1);
		snprintf(search.found->mapping.path, sizeof(search.found->mapping.path), "%s",
			 memory);
		return end_at(&search, MR_OBSTACLE_DEVICE, true);
	}
	return look_in(&search, range.addr, range.length);
}

bool mr_obstacle_find_fault(struct mr_inquiry *inquiry, const struct mr_range *range, bool writes,
			    struct mr_obstacle *obstacle)
{
	struct search search = {
		.inquiry = inquiry, .writes = writes, .faults = true, .found = obstacle
	};

	*obstacle = (struct mr_obstacle){ .kind = MR_OBSTACLE_NONE };
	return look_in(&search, range->addr, range->length);
}

bool mr_obstacle_may_be_in(const struct mr_obstacle *obstacle, const struct mr_mapping *mapping)
{
	if (obstacle->has_stop)
		return obstacle->stop.addr >= mapping->start && obstacle->stop.addr < mapping->end;
	return obstacle->kind == MR_OBSTACLE_NONE;
}

bool mr_is_pinned(struct mr_inquiry *inquiry)
{
	const struct mr_obstacle *obstacle = mr_obstacle_find(inquiry);

	return !obstacle || obstacle->kind == MR_OBSTACLE_NONE;
}

const struct mr_obstacle *mr_obstacle_find(struct mr_inquiry *inquiry)
{
	return KNOWN(inquiry->has_obstacle, look(inquiry)) ? &inquiry->obstacle : NULL;
}
