/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources: slurm.conf(5) of Slurm 22.05 and what slurmctld, slurmd and the clients of that version do with each key.  Words
 * are found in lists by substring there, so only whole words that are known here are taken over. */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confkeys.h"

#define TRUE_PROGRAM "/bin/true|/usr/bin/true"

#define WHY_PROGRAM "a program of the site"
#define WHY_POWER "a program of the site; nodes keep their power"
#define WHY_STATE "each cluster has its own folder"
#define WHY_ADDRESS "windtunnel chooses addresses and ports so that clusters cannot collide"
#define WHY_AUTH "each cluster has its own munged"
#define WHY_USER "daemons run as the caller"
#define WHY_DATABASE "the site's accounting"
#define WHY_JOBCOMP "the site's records of finished jobs"
#define WHY_HARDWARE "hardware and kernel of this machine"
#define WHY_PLUGIN "code, programs or files of the site"
#define WHY_TRES "only " WHY_DATABASE " has further resources; slurmctld ends without"
#define WHY_GROUPS "groups of the site"
#define WHY_NEWER "a newer Slurm has it"
#define WHY_SHARED "shares of GPUs need their device files"
#define SHARED_WORDS "mps,shard"
#define WHY_GONE "Slurm has it no more and ends when it is set"
#define WHY_MAIL "mail of the site"
#define WHY_BACKUP "an emulated cluster has one controller"

/* Those that slurmctld knows without a database. */
#define TRES_WORDS "billing=,cpu=,energy=,fs/disk=,mem=,node=,pages=,vmem="

#define TAKEN(key) { .name = key, .class = WT_CONF_TAKEN }
#define OURS(key, because) { .name = key, .class = WT_CONF_OURS, .why = because }
#define NEUTRAL(key, because, ...) { .name = key, .class = WT_CONF_NEUTRAL, .why = because, __VA_ARGS__ }
#define PROGRAM(key) NEUTRAL(key, WHY_PROGRAM, .values = TRUE_PROGRAM)

static const struct wt_confkey keys[] = {
	TAKEN("AccountingStoreFlags"),
	NEUTRAL("AccountingStorageBackupHost", WHY_DATABASE),
	NEUTRAL("AccountingStorageEnforce", WHY_DATABASE " knows who may run jobs; here everybody may", .schedules = true),
	NEUTRAL("AccountingStorageExternalHost", WHY_DATABASE),
	NEUTRAL("AccountingStorageHost", WHY_DATABASE),
	NEUTRAL("AccountingStorageParameters", WHY_DATABASE),
	NEUTRAL("AccountingStoragePass", WHY_DATABASE),
	NEUTRAL("AccountingStoragePort", WHY_DATABASE),
	NEUTRAL("AccountingStorageTRES", WHY_DATABASE ", without which slurmctld ends", .schedules = true),
	NEUTRAL("AccountingStorageType", WHY_DATABASE, .values = "accounting_storage/none",
		.instead = "accounting_storage/none", .schedules = true),
	NEUTRAL("AccountingStorageUser", WHY_DATABASE),
	OURS("AccountingStorageLoc", WHY_GONE),
	OURS("AccountingStoreJobComment", WHY_GONE),
	NEUTRAL("AcctGatherEnergyType", WHY_HARDWARE, .values = "acct_gather_energy/none"),
	NEUTRAL("AcctGatherFilesystemType", WHY_HARDWARE, .values = "acct_gather_filesystem/none"),
	NEUTRAL("AcctGatherInfinibandType", WHY_HARDWARE, .values = "acct_gather_infiniband/none"),
	NEUTRAL("AcctGatherInterconnectType", WHY_HARDWARE, .values = "acct_gather_interconnect/none"),
	TAKEN("AcctGatherNodeFreq"),
	NEUTRAL("AcctGatherProfileType", "files or a database of the site", .values = "acct_gather_profile/none"),
	TAKEN("AllowSpecResourcesUsage"),
	NEUTRAL("AuthAltParameters", "keys of the site"),
	NEUTRAL("AuthAltTypes", "keys of the site"),
	{ .name = "AuthInfo", .class = WT_CONF_OURS, .words = "cred_expire=,ttl=,use_client_ids", .why = WHY_AUTH },
	OURS("AuthType", WHY_AUTH),
	OURS("BackupAddr", WHY_BACKUP),
	OURS("BackupController", WHY_BACKUP),
	TAKEN("BatchStartTimeout"),
	TAKEN("BcastExclude"),
	NEUTRAL("BcastParameters", "a folder of this machine", .words = "Compression=lz4,Compression=none,send_libs"),
	NEUTRAL("BurstBufferParameters", WHY_PLUGIN),
	NEUTRAL("BurstBufferType", WHY_PLUGIN, .values = "none", .schedules = true),
	NEUTRAL("CliFilterPlugins", WHY_PLUGIN, .values = "none"),
	OURS("ClusterName", "it is the NAME that was given to windtunnel"),
	NEUTRAL("CommunicationParameters", "addresses of this machine",
		.words =
			"block_null_hash,keepaliveinterval=,keepaliveprobes=,keepalivetime=,NoAddrCache,NoCtldInAddrAny,"
			"NoInAddrAny"),
	TAKEN("CompleteWait"),
	OURS("ControlAddr", WHY_ADDRESS),
	OURS("ControlMachine", WHY_ADDRESS),
	NEUTRAL("CoreSpecPlugin", WHY_HARDWARE, .values = "core_spec/none"),
	NEUTRAL("CpuFreqDef", WHY_HARDWARE),
	NEUTRAL("CpuFreqGovernors", WHY_HARDWARE),
	OURS("CredType", WHY_AUTH),
	OURS("CryptoType", WHY_AUTH),
	TAKEN("DebugFlags"),
	TAKEN("DefCPUPerGPU"),
	TAKEN("DefMemPerCPU"),
	TAKEN("DefMemPerGPU"),
	TAKEN("DefMemPerNode"),
	TAKEN("DependencyParameters"),
	NEUTRAL("DisableRootJobs", "jobs are the caller's, who may be root", .values = "no"),
	TAKEN("DownNodes"),
	TAKEN("EioTimeout"),
	TAKEN("EnforcePartLimits"),
	PROGRAM("Epilog"),
	TAKEN("EpilogMsgTime"),
	PROGRAM("EpilogSlurmctld"),
	TAKEN("ExtSensorsFreq"),
	NEUTRAL("ExtSensorsType", WHY_HARDWARE, .values = "ext_sensors/none"),
	TAKEN("FairShareDampeningFactor"),
	OURS("FastSchedule", WHY_GONE),
	NEUTRAL("FederationParameters", "other clusters"),
	TAKEN("FirstJobId"),
	OURS("FrontendName", "Debian's Slurm has no front ends"),
	TAKEN("GetEnvTimeout"),
	NEUTRAL("GpuFreqDef", WHY_HARDWARE),
	NEUTRAL("GresTypes", WHY_SHARED, .not_words = SHARED_WORDS, .schedules = true),
	TAKEN("GroupUpdateForce"),
	TAKEN("GroupUpdateTime"),
	TAKEN("HealthCheckInterval"),
	TAKEN("HealthCheckNodeState"),
	PROGRAM("HealthCheckProgram"),
	TAKEN("InactiveLimit"),
	NEUTRAL("InteractiveStepOptions", WHY_PROGRAM),
	TAKEN("JobAcctGatherFrequency"),
	TAKEN("JobAcctGatherParams"),
	NEUTRAL("JobAcctGatherType", WHY_HARDWARE, .values = "jobacct_gather/none|jobacct_gather/linux"),
	NEUTRAL("JobCompHost", WHY_JOBCOMP),
	NEUTRAL("JobCompLoc", WHY_JOBCOMP),
	NEUTRAL("JobCompParams", WHY_JOBCOMP),
	NEUTRAL("JobCompPass", WHY_JOBCOMP),
	NEUTRAL("JobCompPort", WHY_JOBCOMP),
	NEUTRAL("JobCompType", WHY_JOBCOMP, .values = "jobcomp/none", .instead = "jobcomp/none"),
	NEUTRAL("JobCompUser", WHY_JOBCOMP),
	NEUTRAL("JobContainerType", WHY_HARDWARE, .values = "job_container/none"),
	NEUTRAL("JobCredentialPrivateKey", "keys of the site"),
	NEUTRAL("JobCredentialPublicCertificate", "keys of the site"),
	TAKEN("JobFileAppend"),
	TAKEN("JobRequeue"),
	NEUTRAL("JobSubmitPlugins", WHY_PLUGIN, .schedules = true,
		.words = "all_partitions,defaults,logging,partition,pbs,require_timelimit,throttle"),
	TAKEN("KeepAliveTime"),
	TAKEN("KillOnBadExit"),
	TAKEN("KillWait"),
	NEUTRAL("LaunchParameters", WHY_HARDWARE,
		.words = "disable_send_gids,mem_sort,mpir_use_nodeaddr,send_gids,test_exec,use_interactive_step"),
	NEUTRAL("LaunchType", WHY_PLUGIN, .values = "launch/slurm"),
	TAKEN("Licenses"),
	TAKEN("LogTimeFormat"),
	NEUTRAL("MailDomain", WHY_MAIL),
	NEUTRAL("MailProg", WHY_MAIL, .values = TRUE_PROGRAM, .instead = "/bin/true"),
	TAKEN("MaxArraySize"),
	TAKEN("MaxDBDMsgs"),
	TAKEN("MaxJobCount"),
	TAKEN("MaxJobId"),
	TAKEN("MaxMemPerCPU"),
	TAKEN("MaxMemPerNode"),
	OURS("MaxNodeCount", "nodes come from --nodes and --shape"),
	TAKEN("MaxStepCount"),
	TAKEN("MaxTasksPerNode"),
	NEUTRAL("MCSParameters", WHY_GROUPS, .words = "enforced,noselect,ondemand,ondemandselect,privatedata,select",
		.schedules = true),
	NEUTRAL("MCSPlugin", WHY_GROUPS, .values = "mcs/none|mcs/account|mcs/user", .instead = "mcs/none",
		.schedules = true),
	TAKEN("MessageTimeout"),
	TAKEN("MinJobAge"),
	NEUTRAL("MpiDefault", WHY_PLUGIN, .values = "none|pmi2"),
	TAKEN("MpiParams"),
	NEUTRAL("NodeFeaturesPlugins", WHY_PLUGIN, .schedules = true),
	OURS("NodeName", "nodes come from --nodes and --shape"),
	TAKEN("NodeSet"),
	TAKEN("OverTimeLimit"),
	TAKEN("PartitionName"),
	NEUTRAL("PluginDir", WHY_PLUGIN),
	NEUTRAL("PlugStackConfig", WHY_PLUGIN),
	NEUTRAL("PowerParameters", WHY_HARDWARE),
	NEUTRAL("PowerPlugin", WHY_HARDWARE, .values = "power/none"),
	TAKEN("PreemptExemptTime"),
	TAKEN("PreemptMode"),
	TAKEN("PreemptType"),
	NEUTRAL("PrEpParameters", WHY_PLUGIN),
	NEUTRAL("PrEpPlugins", WHY_PLUGIN, .values = "prep/script"),
	TAKEN("PriorityCalcPeriod"),
	TAKEN("PriorityDecayHalfLife"),
	TAKEN("PriorityFavorSmall"),
	TAKEN("PriorityFlags"),
	TAKEN("PriorityMaxAge"),
	TAKEN("PriorityParameters"),
	NEUTRAL("PrioritySiteFactorParameters", WHY_PLUGIN),
	NEUTRAL("PrioritySiteFactorPlugin", WHY_PLUGIN, .values = "site_factor/none", .schedules = true),
	TAKEN("PriorityType"),
	TAKEN("PriorityUsageResetPeriod"),
	TAKEN("PriorityWeightAge"),
	TAKEN("PriorityWeightAssoc"),
	TAKEN("PriorityWeightFairshare"),
	TAKEN("PriorityWeightJobSize"),
	TAKEN("PriorityWeightPartition"),
	TAKEN("PriorityWeightQOS"),
	NEUTRAL("PriorityWeightTRES", WHY_TRES, .schedules = true, .words = TRES_WORDS),
	TAKEN("PrivateData"),
	NEUTRAL("ProctrackType", WHY_HARDWARE, .values = "proctrack/pgid|proctrack/linuxproc", .instead = "proctrack/pgid"),
	PROGRAM("Prolog"),
	TAKEN("PrologEpilogTimeout"),
	NEUTRAL("PrologFlags", "X servers of users", .words = "Alloc,Contain,DeferBatch,NoHold,Serial"),
	PROGRAM("PrologSlurmctld"),
	TAKEN("PropagatePrioProcess"),
	TAKEN("PropagateResourceLimits"),
	TAKEN("PropagateResourceLimitsExcept"),
	PROGRAM("RebootProgram"),
	TAKEN("ReconfigFlags"),
	TAKEN("RequeueExit"),
	TAKEN("RequeueExitHold"),
	PROGRAM("ResumeFailProgram"),
	NEUTRAL("ResumeProgram", WHY_POWER, .values = TRUE_PROGRAM, .schedules = true),
	TAKEN("ResumeRate"),
	TAKEN("ResumeTimeout"),
	PROGRAM("ResvEpilog"),
	TAKEN("ResvOverRun"),
	PROGRAM("ResvProlog"),
	TAKEN("ReturnToService"),
	NEUTRAL("RoutePlugin", "it needs a topology.conf: --topology", .values = "route/default"),
	OURS("SallocDefaultCommand", WHY_GONE),
	NEUTRAL("SbcastParameters", "a folder of this machine", .words = "Compression=lz4,Compression=none,send_libs"),
	OURS("SchedulerAuth", WHY_GONE),
	TAKEN("SchedulerParameters"),
	TAKEN("SchedulerTimeSlice"),
	TAKEN("SchedulerType"),
	TAKEN("ScronParameters"),
	TAKEN("SelectType"),
	TAKEN("SelectTypeParameters"),
	OURS("SlurmUser", WHY_USER),
	OURS("SlurmctldAddr", WHY_ADDRESS),
	TAKEN("SlurmctldDebug"),
	OURS("SlurmctldHost", WHY_ADDRESS),
	OURS("SlurmctldLogFile", WHY_STATE),
	NEUTRAL("SlurmctldParameters", "addresses, configuration and machines of the site",
		.words =
			"allow_user_triggers,disable_triggers,enable_rpc_queue,idle_on_node_suspend,node_reg_mem_percent=,"
			"power_save_interval=,"
			"power_save_min_interval=,preempt_send_user_signal,user_resv_delete,validate_nodeaddr_threads="),
	OURS("SlurmctldPidFile", WHY_STATE),
	NEUTRAL("SlurmctldPlugstack", WHY_PLUGIN),
	OURS("SlurmctldPort", WHY_ADDRESS),
	PROGRAM("SlurmctldPrimaryOffProg"),
	PROGRAM("SlurmctldPrimaryOnProg"),
	NEUTRAL("SlurmctldSyslogDebug", "this machine's log", .values = "quiet", .instead = "quiet"),
	TAKEN("SlurmctldTimeout"),
	TAKEN("SlurmdDebug"),
	OURS("SlurmdLogFile", WHY_STATE),
	NEUTRAL("SlurmdParameters", WHY_HARDWARE, .words = "config_overrides,l3cache_as_socket,numa_node_as_socket"),
	OURS("SlurmdPidFile", WHY_STATE),
	OURS("SlurmdPort", WHY_ADDRESS),
	OURS("SlurmdSpoolDir", WHY_STATE),
	NEUTRAL("SlurmdSyslogDebug", "this machine's log", .values = "quiet", .instead = "quiet"),
	TAKEN("SlurmdTimeout"),
	OURS("SlurmdUser", WHY_USER),
	OURS("SlurmSchedLogFile", WHY_STATE),
	TAKEN("SlurmSchedLogLevel"),
	PROGRAM("SrunEpilog"),
	NEUTRAL("SrunPortRange", "ports of this machine"),
	PROGRAM("SrunProlog"),
	OURS("StateSaveLocation", WHY_STATE),
	NEUTRAL("SuspendExcNodes", "nodes of the site", .schedules = true),
	TAKEN("SuspendExcParts"),
	NEUTRAL("SuspendProgram", WHY_POWER, .values = TRUE_PROGRAM, .schedules = true),
	TAKEN("SuspendRate"),
	TAKEN("SuspendTime"),
	TAKEN("SuspendTimeout"),
	NEUTRAL("SwitchParameters", WHY_HARDWARE),
	NEUTRAL("SwitchType", WHY_HARDWARE, .values = "switch/none", .instead = "switch/none"),
	PROGRAM("TaskEpilog"),
	NEUTRAL("TaskPlugin", WHY_HARDWARE, .values = "task/none", .instead = "task/none"),
	NEUTRAL("TaskPluginParam", WHY_GONE,
		.words =
			"Autobind=cores,Autobind=none,Autobind=sockets,Autobind=threads,Cores,None,SlurmdOffSpec,Sockets,"
			"Threads,Verbose"),
	PROGRAM("TaskProlog"),
	TAKEN("TCPTimeout"),
	NEUTRAL("TmpFS", "a folder of this machine", .values = "/tmp"),
	NEUTRAL("TopologyParam", "addresses of this machine",
		.words = "Dragonfly,NoCtldInAddrAny,NoInAddrAny,RoutePart,RouteTree,SwitchAsNodeRank,TopoOptional"),
	NEUTRAL("TopologyPlugin", "it needs a topology.conf: --topology", .values = "topology/none|topology/default",
		.instead = "topology/none", .schedules = true),
	TAKEN("TrackWCKey"),
	TAKEN("TreeWidth"),
	PROGRAM("UnkillableStepProgram"),
	TAKEN("UnkillableStepTimeout"),
	NEUTRAL("UsePAM", "users and sessions of this machine", .values = "no|0"),
	TAKEN("VSizeFactor"),
	TAKEN("WaitTime"),
	NEUTRAL("X11Parameters", "X servers of users"),
};

static const struct wt_confkey node_attributes[] = {
	OURS("BcastAddr", WHY_ADDRESS),
	TAKEN("Boards"),
	TAKEN("CoreSpecCount"),
	TAKEN("CoresPerSocket"),
	TAKEN("CPUs"),
	TAKEN("CPUSpecList"),
	TAKEN("CpuBind"),
	TAKEN("Feature"),
	TAKEN("Features"),
	NEUTRAL("Gres", WHY_SHARED, .not_words = SHARED_WORDS, .schedules = true),
	TAKEN("MemSpecLimit"),
	OURS("NodeAddr", WHY_ADDRESS),
	OURS("NodeHostname", WHY_ADDRESS),
	OURS("Port", WHY_ADDRESS),
	TAKEN("Procs"),
	TAKEN("RealMemory"),
	TAKEN("Reason"),
	TAKEN("Sockets"),
	TAKEN("SocketsPerBoard"),
	TAKEN("State"),
	TAKEN("ThreadsPerCore"),
	TAKEN("TmpDisk"),
	NEUTRAL("TRESWeights", WHY_TRES, .words = TRES_WORDS),
	TAKEN("Weight"),
};

static const struct wt_confkey partition_attributes[] = {
	NEUTRAL("AllocNodes", "jobs are submitted from this machine"),
	NEUTRAL("AllowAccounts", WHY_DATABASE, .values = "ALL", .schedules = true),
	NEUTRAL("AllowGroups", WHY_GROUPS, .values = "ALL", .schedules = true),
	NEUTRAL("AllowQos", WHY_DATABASE, .values = "ALL", .schedules = true),
	TAKEN("Alternate"),
	TAKEN("CpuBind"),
	TAKEN("Default"),
	TAKEN("DefaultTime"),
	TAKEN("DefCPUPerGPU"),
	TAKEN("DefMemPerCPU"),
	TAKEN("DefMemPerGPU"),
	TAKEN("DefMemPerNode"),
	TAKEN("DenyAccounts"),
	NEUTRAL("DenyQos", WHY_DATABASE, .schedules = true),
	NEUTRAL("DisableRootJobs", "jobs are the caller's, who may be root", .values = "no"),
	TAKEN("ExclusiveUser"),
	TAKEN("GraceTime"),
	TAKEN("Hidden"),
	TAKEN("LLN"),
	TAKEN("MaxCPUsPerNode"),
	TAKEN("MaxMemPerCPU"),
	TAKEN("MaxMemPerNode"),
	TAKEN("MaxNodes"),
	TAKEN("MaxTime"),
	TAKEN("MinNodes"),
	TAKEN("Nodes"),		/* ALL instead of nodes that there are not: confpolicy.c */
	TAKEN("OverSubscribe"),
	TAKEN("OverTimeLimit"),
	TAKEN("PreemptMode"),
	TAKEN("Priority"),
	TAKEN("PriorityJobFactor"),
	TAKEN("PriorityTier"),
	NEUTRAL("QOS", WHY_DATABASE, .schedules = true),
	TAKEN("ReqResv"),
	TAKEN("ResumeTimeout"),
	TAKEN("RootOnly"),
	TAKEN("SelectTypeParameters"),
	TAKEN("Shared"),
	TAKEN("State"),
	TAKEN("SuspendTime"),
	TAKEN("SuspendTimeout"),
	NEUTRAL("TRESBillingWeights", WHY_TRES, .words = TRES_WORDS),
};

static const struct wt_confkey nodeset_attributes[] = { TAKEN("Feature"), TAKEN("Nodes") };
static const struct wt_confkey downnodes_attributes[] = { TAKEN("Reason"), TAKEN("State") };

static const struct wt_confkey frontend_attributes[] = {
	OURS("AllowGroups", WHY_ADDRESS), OURS("AllowUsers", WHY_ADDRESS), OURS("DenyGroups", WHY_ADDRESS),
		OURS("DenyUsers", WHY_ADDRESS),
	OURS("FrontendAddr", WHY_ADDRESS), OURS("Port", WHY_ADDRESS), OURS("Reason", WHY_ADDRESS),
	OURS("State", WHY_ADDRESS),
};

#define ROWS(table) table, sizeof(table) / sizeof(table[0])

static const struct {
	const char *line;
	const struct wt_confkey *rows;
	size_t count;
} tables[] = {
	{ "NodeName", ROWS(node_attributes) },
	{ "PartitionName", ROWS(partition_attributes) },
	{ "NodeSet", ROWS(nodeset_attributes) },
	{ "DownNodes", ROWS(downnodes_attributes) },
	{ "FrontendName", ROWS(frontend_attributes) },
};

/* Of other versions: names with commas between them. */
static const struct {
	const char *line, *names, *why;
} others[] = {
	{ NULL,
	  "AcctGatherNodeType,CacheGroups,CheckpointType,ChosLoc,DefaultStorageHost,DefaultStorageLoc,DefaultStoragePass,"
	  "DefaultStoragePort,DefaultStorageType,DefaultStorageUser,DynAllocPort,HeartbeatInterval,JobAcctFrequency,"
	  "JobAcctLogFile,JobAcctType,JobCheckpointDir,JobCredPrivateKey,KillTree,Layouts,MemLimitEnforce,"
	  "MpichGmDirectSupport,MsgAggregationParams,SchedulerPort,SchedulerRootFilter,TaskAffinity,UseSpecResources",
	  WHY_GONE },
	{ NULL,
	  "CertgenParameters,CertgenType,CertmgrParameters,CertmgrType,DataParserParameters,EpilogTimeout,HashPlugin,"
	  "HttpParserType,MaxBatchRequeue,MetricsType,NamespaceType,PreemptParameters,PrologTimeout,SuspendExcStates,"
	  "TLSParameters,TLSType,UrlParserType",
	  WHY_NEWER },
	{ "NodeName", "CertToken,Parameters,RestrictedCoresPerGPU,Topology", WHY_NEWER },
	{ "PartitionName", "ExclusiveTopo,MaxCPUsPerSocket,PowerDownOnIdle,Topology", WHY_NEWER },
};

const char *wt_confkey_other(const char *line, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if ((line && others[i].line && strcasecmp(line, others[i].line)) || !line != !others[i].line)
			continue;
		for (const char *p = others[i].names; *p; p += *p == ',') {
			size_t n = strcspn(p, ",");

			if (n == len && !strncasecmp(p, name, n))
				return others[i].why;
			p += n;
		}
	}
	return NULL;
}

/* Whatever stands between "://" and "@" in one word; also of a password with slashes. */
static bool address_has_login(const char *value)
{
	for (const char *p = value; p && (p = strstr(p, "://")); p += 3)
		if (memchr(p, '@', strcspn(p, " \t\"")))
			return true;
	return false;
}

bool wt_confkey_secret(const char *key, const char *value)
{
	return strcasestr(key, "Pass") || !strcasecmp(key, "CertToken") || address_has_login(value);
}

const struct wt_confkey *wt_confkey_table(const char *line, size_t *count)
{
	*count = sizeof(keys) / sizeof(keys[0]);
	if (!line)
		return keys;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcasecmp(tables[i].line, line)) {
			*count = tables[i].count;
			return tables[i].rows;
		}
	*count = 0;
	return NULL;
}

const struct wt_confkey *wt_confkey_find(const char *line, const char *name)
{
	size_t count;
	const struct wt_confkey *rows = wt_confkey_table(line, &count);

	for (size_t i = 0; i < count; i++)
		if (!strcasecmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}
