import { isSamePlane } from '../../control-plane/plane/plane.ts'
import type {
  CertificateCheck,
  CheckedCertificate,
  UncheckedPlace,
} from '../../control-plane/use-cases/rotate/check-certificates.ts'
import { planeWords } from '../catalog/hint-text.ts'
import { timeLeft } from './plane-table.ts'
import { formatTable } from './table.ts'

const COLUMNS = ['plane', 'namespace', 'certificate', 'kind', 'expires', 'left'] as const

/** Certificates as people see them in `certs check`; those that expire soon are marked. */
export function certificateTable(
  checked: readonly CheckedCertificate[],
  { now, width }: { now: Date; width: number | undefined },
): string {
  const rows = checked.map(({ expiresAt, isEnding, kind, name, plane }) => ({
    plane: plane.name,
    namespace: plane.namespace ?? '',
    certificate: name,
    kind,
    expires: expiresAt?.toISOString().slice(0, 10) ?? '',
    left: `${timeLeft(expiresAt, now)}${isEnding ? ' !' : ''}`,
  }))
  return formatTable(COLUMNS, rows, { width, optional: ['kind', 'namespace'] })
}

/** What renews a plane's certificates that expire soon, and what could not be checked; empty when all is well. */
export function certificateWarnings(
  { certificates, unchecked }: CertificateCheck,
  bin: string,
): string[] {
  const ending = certificates.filter(({ isEnding }) => isEnding)
  const remedies = ending.map((one) => remedyOf(one, ending, bin))
  return [...new Set(remedies), ...unchecked.map(uncheckedWords)]
}

/** A rotation of CAs renews all leaves too. */
function remedyOf(
  { kind, plane }: CheckedCertificate,
  ending: readonly CheckedCertificate[],
  bin: string,
): string {
  const words = planeWords(plane)
  if (kind === 'kubeconfig') {
    return `the certificate of a context of "${plane.name}" expires soon: ${bin} connect ${words} --embed-credentials writes another`
  }
  const isAboutCas = ending.some((one) => one.kind === 'authority' && isSamePlane(one.plane, plane))
  return isAboutCas
    ? `CAs of "${plane.name}" expire soon: ${bin} certs rotate-ca ${words} replaces them, stage by stage`
    : `certificates of "${plane.name}" expire soon: ${bin} certs rotate ${words} renews them`
}

function uncheckedWords({ driver, plane, reason }: UncheckedPlace): string {
  return plane === undefined
    ? `planes of the driver ${driver} cannot be listed: ${reason}`
    : `the certificates of "${plane.name}" cannot be checked: ${reason}`
}
