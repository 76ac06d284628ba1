/** One task that a keeper does for a plane. It reads the state each time and does what is due. */
export interface Duty {
  /** Does what is due, and returns when to run again. When it throws, the keeper tries again. */
  reconcile: (signal: AbortSignal) => Promise<Date>
  /** Metrics in the text format of Prometheus. @default none */
  metrics?: () => string
}

/** An event that users should know about. */
export interface KeeperEvent {
  level: 'normal' | 'warning'
  /** One word: `BackupFailed`. */
  reason: string
  message: string
}
