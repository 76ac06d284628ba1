import { VplaneError } from '../../shared/errors.ts'

export interface KubernetesVersion {
  major: number
  minor: number
  patch: number
}

/** The minors that vplane supports, newest first, each with its default patch release and its etcd release. */
const KNOWN_MINORS = [
  { minor: 37, patch: 2, etcd: '3.6.16' },
  { minor: 36, patch: 3, etcd: '3.6.16' },
  { minor: 35, patch: 4, etcd: '3.6.16' },
  { minor: 34, patch: 4, etcd: '3.6.16' },
] as const

/** The minor of planes whose users name none. */
const DEFAULT_MINOR = 36

/** The default of `create`. */
export const DEFAULT_KUBERNETES_VERSION = formatVersion(
  parseKubernetesVersion(`1.${DEFAULT_MINOR}`),
)

/** The default release of every supported minor, newest first. */
export function knownKubernetesVersions(): string[] {
  return KNOWN_MINORS.map((known) => formatVersion({ major: 1, ...known }))
}

/**
 * Parses `1.36`, `v1.36` or `1.36.3`; a minor alone selects its default patch release.
 * @throws {VplaneError} `USAGE` when it is not a version, or its minor is not supported.
 */
export function parseKubernetesVersion(text: string): KubernetesVersion {
  const match = /^v?1\.(0|[1-9]\d{0,2})(?:\.(0|[1-9]\d{0,2}))?$/.exec(text.trim())
  const known = KNOWN_MINORS.find(({ minor }) => minor === Number(match?.[1]))
  if (match === null || known === undefined) {
    const reason =
      match === null ? 'is not a Kubernetes version' : 'is not a minor that vplane knows'
    throw new VplaneError('USAGE', `"${text}" ${reason}`, {
      hints: [`known versions: ${knownKubernetesVersions().join(', ')}`],
    })
  }
  return {
    major: 1,
    minor: known.minor,
    patch: match[2] === undefined ? known.patch : Number(match[2]),
  }
}

/** `1.36.3` */
export function formatVersion({ major, minor, patch }: KubernetesVersion): string {
  return `${major}.${minor}.${patch}`
}

/** The etcd release that vplane runs with a Kubernetes version, such as `3.6.16`. */
export function etcdVersionOf(version: KubernetesVersion): string {
  return KNOWN_MINORS.find(({ minor }) => minor === version.minor)?.etcd ?? KNOWN_MINORS[0].etcd
}

/** The minor number of a version such as `1.36` or `1.36.3`. */
export function minorOf(version: string): number {
  return Number(version.split('.')[1])
}
