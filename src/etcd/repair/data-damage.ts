import { recordAt } from '../../shared/json-fields.ts'

/**
 * The damage to the data of a member that has exited.
 *
 * - `lost`: it had data, and has none now.
 * - `corrupt`: its data cannot be read, or contradicts what the members agreed on.
 * - `removed`: the other members have removed it from the cluster.
 */
export type Damage = 'lost' | 'corrupt' | 'removed'

/** `inconsistent`: it did not start, because another member has different data. Its log does not tell whose is corrupt. */
export type LoggedDamage = Damage | 'inconsistent'

/** The status of a member's container, as the host reports it. */
export interface MemberContainer {
  ready?: boolean
  restartCount?: number
  state?: { terminated?: object; running?: object; waiting?: { reason?: string } }
}

export interface EndedMemberOptions {
  /** Returns the last lines of the log of the current or last run, or of the run before it. */
  readLog: (run: 'last' | 'previous') => Promise<readonly string[]>
  /** Returns the current status of its container, or undefined if it is gone. */
  readAgain: () => Promise<MemberContainer | undefined>
}

/**
 * The damage that the log of an exited member reports.
 * @param container an earlier status: the host may have restarted the container since, and the last log is then that of
 * a new run without messages
 */
export async function damageOfEnded(
  container: MemberContainer,
  { readAgain, readLog }: EndedMemberOptions,
): Promise<LoggedDamage | undefined> {
  const { ready = false, restartCount = 0, state = {} } = container
  const hasEnded = state.terminated !== undefined || restartCount > 0
  if (ready || !hasEnded) {
    return undefined
  }
  const damage = damageIn(await readLog('last'))
  if (damage !== undefined) {
    return damage
  }
  if (state.running !== undefined) {
    return damageIn(await readLog('previous'))
  }
  const now = await readAgain()
  const hasRestarted = (now?.restartCount ?? 0) > restartCount
  return now && hasRestarted ? damageOfEnded(now, { readAgain, readLog }) : undefined
}

/** Messages of etcd 3.4 to 3.6 before it exits (server/etcdserver, server/storage, raft, bbolt), the most specific first. */
const MESSAGES: ReadonlyArray<readonly [LoggedDamage, RegExp]> = [
  ['removed', /permanently removed from the cluster|member count is unequal|unmatched member/],
  // A member that starts without data and knows no other members, or that has its old name but no data.
  ['lost', /could not retrieve cluster information|tocommit\(\d+\) is out of range/],
  ['inconsistent', /data inconsistency|found data corruption/i],
  [
    'corrupt',
    /crc mismatch|checksum (?:error|mismatch)|invalid database|invalid freelist|freepages|cannot be repaired|snapshot file doesn't exist|slice bounds out of range|wal: |snap: |(?:open|read|recover)\w* (?:v3 )?(?:WAL|backend|snapshot)|conflict with committed entry/i,
  ],
]

/** The damage that the last lines of a member's log report, or undefined if it exited for another reason. */
export function damageIn(lines: readonly string[]): LoggedDamage | undefined {
  const messages = lines.map(messageIn)
  return MESSAGES.find(([, pattern]) => messages.some((message) => pattern.test(message)))?.[0]
}

/** etcd's own message in a line; other fields contain names that users of the plane have chosen. */
function messageIn(line: string): string {
  try {
    const { error = '', msg = '' } = recordAt(JSON.parse(line)) ?? {}
    return `${String(msg)}: ${String(error)}`
  } catch {
    // A panic is not JSON.
    return line
  }
}
