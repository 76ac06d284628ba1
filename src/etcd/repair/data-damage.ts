import { recordAt } from '../../shared/json-fields.ts'

/**
 * What is wrong with the data of a member that has ended.
 *
 * - `lost`: there is none where it had some.
 * - `corrupt`: it cannot be read, or contradicts what was agreed on.
 * - `removed`: it is that of a member which the others do not have any more.
 */
export type Damage = 'lost' | 'corrupt' | 'removed'

/** What etcd 3.4 to 3.6 says as it ends (server/etcdserver, server/storage, raft, bbolt), the most telling first. */
const WORDS: ReadonlyArray<readonly [Damage, RegExp]> = [
  ['removed', /permanently removed from the cluster|member count is unequal|unmatched member/],
  // A member that begins without data, and is told of nobody to get it from; one that got its name back without it.
  ['lost', /could not retrieve cluster information|tocommit\(\d+\) is out of range/],
  [
    'corrupt',
    /crc mismatch|checksum (?:error|mismatch)|invalid database|invalid freelist|freepages|cannot be repaired|snapshot file doesn't exist|slice bounds out of range|wal: |snap: |(?:open|read|recover)\w* (?:v3 )?(?:WAL|backend|snapshot)|conflict with committed entry|data inconsistency|found data corruption/i,
  ],
]

/** What the last lines of a member's log say of its data; undefined when it ended for another reason. */
export function damageIn(lines: readonly string[]): Damage | undefined {
  const said = lines.map(wordsOf)
  return WORDS.find(([, words]) => said.some((line) => words.test(line)))?.[0]
}

/** What etcd itself says in a line. Other fields of it hold names that users of the plane have chosen. */
function wordsOf(line: string): string {
  try {
    const { error = '', msg = '' } = recordAt(JSON.parse(line)) ?? {}
    return `${String(msg)}: ${String(error)}`
  } catch {
    // A panic.
    return line
  }
}
