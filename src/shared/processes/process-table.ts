/** The processes of this machine. Only its implementations depend on the platform. */
export interface ProcessTable {
  /** A value that differs between two processes with the same id; undefined when none runs, or only a zombie. */
  startTimeOf(processId: number): string | undefined
  /** Differs between two boots of the machine. */
  bootId(): string
  /**
   * Finds this user's running processes by the words of their commands. On every platform `--flag=value` is one word,
   * whatever the value is.
   */
  findByCommand(matches: (words: readonly string[], processId: number) => boolean): number[]
}
