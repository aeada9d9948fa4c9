/** What a server takes as settings, so that our configuration of it can be held against that without a server. */

/** The options that EventStoreDB 23.10.6, 24.10.4 and 25.0.0 all know, by the names that a configuration file uses. */
export const OPTIONS: ReadonlySet<string> = new Set(
  `
  AdvertiseHostToClientAs AdvertiseNodePortToClientAs AllowAnonymousEndpointAccess AllowAnonymousStreamAccess
  AllowUnknownOptions AuthenticationConfig AuthenticationType AuthorizationConfig AuthorizationType CachedChunks
  CertificateFile CertificatePassword CertificatePrivateKeyFile CertificatePrivateKeyPassword
  CertificateReservedNodeCommonName CertificateStoreLocation CertificateStoreName CertificateSubjectName
  CertificateThumbprint ChunkInitialReaderCount ChunkSize ChunksCacheSize ClusterDns ClusterGossipPort ClusterSize
  CommitTimeoutMs Config ConnectionPendingSendBytesThreshold ConnectionQueueSizeThreshold Db DbLogFormat
  DeadMemberRemovalPeriodSec DefaultAdminPassword DefaultOpsPassword Dev DisableAdminUi
  DisableFirstLevelHttpAuthorization DisableGossipOnHttp DisableHttpCaching DisableLogFile DisableScavengeMerging
  DisableStatsOnHttp DiscoverViaDns EnableAtomPubOverHttp EnableHistograms EnableTrustedAuth EnableUnixSocket
  FaultOutOfOrderProjections GossipAllowedDifferenceMs GossipIntervalMs GossipSeed GossipTimeoutMs
  HashCollisionReadLimit Help Index IndexBitnessVersion IndexCacheDepth IndexCacheSize InitializationThreads Insecure
  KeepAliveInterval KeepAliveTimeout LeaderElectionTimeoutMs Log LogConfig LogConsoleFormat
  LogFailedAuthenticationAttempts LogFileInterval LogFileRetentionCount LogFileSize LogHttpRequests LogLevel
  MaxAppendSize MaxAutoMergeIndexLevel MaxMemTableSize MaxTruncation MemDb MinFlushDelayMs NodeHostAdvertiseAs NodeIp
  NodePort NodePortAdvertiseAs NodePriority OverrideAnonymousEndpointAccessForGossip PrepareTimeoutMs
  ProjectionCompilationTimeout ProjectionExecutionTimeout ProjectionThreads ProjectionsQueryExpiry ReadOnlyReplica
  ReaderThreadsCount ReduceFileCachePressure RemoveDevCerts ReplicationHeartbeatInterval ReplicationHeartbeatTimeout
  ReplicationHostAdvertiseAs ReplicationIp ReplicationPort ReplicationTcpPortAdvertiseAs RunProjections
  ScavengeBackendCacheSize ScavengeBackendPageSize ScavengeHashUsersCacheCapacity ScavengeHistoryMaxAge SkipDbVerify
  SkipIndexScanOnReads SkipIndexVerify StartStandardProjections StatsPeriodSec StatsStorage StreamExistenceFilterSize
  StreamInfoCacheCapacity TelemetryOptout TrustedRootCertificateStoreLocation TrustedRootCertificateStoreName
  TrustedRootCertificateSubjectName TrustedRootCertificateThumbprint TrustedRootCertificatesPath Unbuffered
  UnsafeAllowSurplusNodes UnsafeDisableFlushToDisk UnsafeIgnoreHardDelete UseIndexBloomFilters Version WhatIf
  WorkerThreads WriteStatsToDb WriteThrough WriteTimeoutMs
  `
    .trim()
    .split(/\s+/),
)

/**
 * Those among them that each of these versions takes from its environment alone: with one of them in its file it ends
 * at once.
 */
export const ENVIRONMENT_ONLY: ReadonlySet<string> = new Set([
  'TelemetryOptout',
  'DefaultAdminPassword',
  'DefaultOpsPassword',
])
