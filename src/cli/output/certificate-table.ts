import type { CheckedCertificate } from '../../control-plane/use-cases/rotate/check-certificates.ts'
import { timeLeft } from './plane-table.ts'
import { formatTable } from './table.ts'

const COLUMNS = ['plane', 'namespace', 'certificate', 'kind', 'ends', 'left'] as const

/** Certificates as people see them in `certs check`; what ends soon is marked. */
export function certificateTable(
  checked: readonly CheckedCertificate[],
  { now, width }: { now: Date; width: number | undefined },
): string {
  const rows = checked.map(({ expiresAt, isEnding, kind, name, plane }) => ({
    plane: plane.name,
    namespace: plane.namespace ?? '',
    certificate: name,
    kind,
    ends: expiresAt?.toISOString().slice(0, 10) ?? '',
    left: `${timeLeft(expiresAt, now)}${isEnding ? ' !' : ''}`,
  }))
  return formatTable(COLUMNS, rows, { width })
}
