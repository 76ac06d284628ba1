import { type Damage, damageIn } from './data-damage.ts'

/** The container of a member, as the host says it is. */
export interface MemberContainer {
  ready?: boolean
  restartCount?: number
  state?: { terminated?: object; running?: object; waiting?: { reason?: string } }
}

/** The last lines of its log: of the run that goes on or has just ended, or of the one before. */
export type ReadMemberLog = (run: 'last' | 'previous') => Promise<readonly string[]>

/** What the log of a member that has ended says of its data. */
export async function damageOfEnded(
  { ready = false, restartCount = 0, state = {} }: MemberContainer,
  readLog: ReadMemberLog,
): Promise<Damage | undefined> {
  const hasEnded = state.terminated !== undefined || restartCount > 0
  if (ready || !hasEnded) {
    return undefined
  }
  const damage = damageIn(await readLog('last'))
  const isBetweenEnds = state.running !== undefined && damage === undefined
  return isBetweenEnds ? damageIn(await readLog('previous')) : damage
}
