import { backupProblem } from '../../control-plane/status/backup-status.ts'
import { isEndingWithin, WARN_BEFORE_END_MS } from '../../control-plane/status/certificate-ends.ts'
import { isReadable } from '../../control-plane/plane/unreadable-plane.ts'
import { planeWords } from '../catalog/hint-text.ts'
import type { Ui } from '../../shared/ui.ts'
import type { Listed } from '../results/plane-result.ts'
import { planeTable, type PlaneTableOptions, timeLeft } from './plane-table.ts'

export interface PlanesTextOptions extends Partial<PlaneTableOptions> {
  bin: string
  ui: Pick<Ui, 'note' | 'warn'>
  /** The only host namespace that was asked for. @default all */
  namespace?: string | undefined
  /** Only planes with some labels were asked for. @default false */
  isSelective?: boolean
}

/** What `list` prints; undefined without planes. Warns of certificates that expire soon and of failing backups. */
export function planesText(
  listed: readonly Listed[],
  {
    bin,
    isSelective = false,
    isWide = false,
    namespace,
    now = new Date(),
    ui,
    width,
  }: PlanesTextOptions,
): string | undefined {
  if (listed.length === 0) {
    const place = namespace === undefined ? '' : ` in namespace "${namespace}"`
    const which = `${place}${isSelective ? ' with these labels' : ''}`
    ui.note(
      `There are no control planes${which}: ${bin} ${which === '' ? 'create NAME creates one' : 'list shows all'}.`,
    )
    return undefined
  }
  for (const { plane, status } of listed) {
    const end = status.certificatesExpireAt
    if (isEndingWithin(WARN_BEFORE_END_MS, end, now)) {
      const left = timeLeft(end, now)
      const when = left === 'expired' ? 'has expired' : `expires in ${left}`
      ui.warn(`a certificate of "${plane.name}" ${when}: ${bin} certs check ${planeWords(plane)}`)
    }
    const problem = backupProblemOf({ plane, status }, now)
    if (problem !== undefined) {
      ui.warn(`the backup of "${plane.name}" ${problem}: ${bin} describe ${planeWords(plane)}`)
    }
  }
  return planeTable(listed, { isWide, now, width })
}

/** A paused plane is backed up when it runs again. */
function backupProblemOf(
  { plane, status }: Pick<Listed, 'plane' | 'status'>,
  now: Date,
): string | undefined {
  return status.backup === undefined || !isReadable(plane) || plane.desired !== 'running'
    ? undefined
    : backupProblem(status.backup, { createdAt: plane.createdAt, now })
}
