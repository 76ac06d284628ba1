/** One of the things that a keeper does for a plane. What it needs to know, it finds out by looking. */
export interface Duty {
  /**
   * PlaneObserver, and does what is due.
   *
   * @returns when to look again.
   * @throws what kept it from looking; it is tried again then.
   */
  look: (signal: AbortSignal) => Promise<Date>
  /** How it stands, as Prometheus reads it. @default nothing */
  metrics?: () => string
}

/** Something that is worth being told. */
export interface KeeperEvent {
  level: 'normal' | 'warning'
  /** One word: `BackupFailed`. */
  reason: string
  message: string
}
