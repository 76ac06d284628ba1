import type { Environment } from '../../../../shared/environment.ts'
import { VplaneError } from '../../../../shared/errors.ts'
import type { BinaryName, Release } from '../cache/binary.ts'
import { formatPlatform } from '../cache/platform.ts'

/** SHA-256 of binaries by Kubernetes version, `os-arch` and name. */
export type ChecksumTable = Readonly<
  Record<string, Readonly<Record<string, Readonly<Partial<Record<BinaryName, string>>>>>>
>

/**
 * The binaries of github.com/kwok-ci/k8s that vplane trusts; other versions are built. Its releases have no signatures
 * and can be changed later: so compare binaries before you add them. The digests of a release:
 * `gh api repos/kwok-ci/k8s/releases/tags/v1.36.3-kwok.0-darwin-arm64 --jq '.assets[] | .name, .digest'`.
 */
const UNOFFICIAL_CHECKSUMS: ChecksumTable = {}

/** One file to download, and how to verify it. */
export interface Download {
  url: string
  checksum: { sha256: string } | { url: string; fileName: string }
  /** The paths of binaries in an archive. @default the file is the binary */
  archive?: { format: 'tar.gz' | 'zip'; paths: readonly string[] }
  /** Who built it, if not the project itself. */
  unofficialFrom?: string
}

interface SourcesOptions {
  environment: Environment
  /** The checksums of unofficial binaries. @default vplane's own table */
  trusted?: ChecksumTable
}

/**
 * The downloads of a release's binaries, and the binaries that are not available for its platform.
 *
 * `VPLANE_MIRROR` is the base of a mirror of all servers: it has `https://dl.k8s.io/release/…` at
 * `<mirror>/dl.k8s.io/release/…`, and `https://github.com/…` at `<mirror>/github.com/…`.
 *
 * @throws {VplaneError} `USAGE` when `VPLANE_MIRROR` is not an http or https URL.
 */
export function sourcesOf(
  release: Release,
  names: readonly BinaryName[],
  { environment, trusted = UNOFFICIAL_CHECKSUMS }: SourcesOptions,
): { downloads: Download[]; unavailable: BinaryName[] } {
  const base = mirrorOf(environment) ?? 'https:/'
  if (release.project === 'etcd') {
    return { downloads: [etcdArchive(release, base)], unavailable: [] }
  }
  if (release.project === 'kine') {
    return { downloads: [], unavailable: [...names] }
  }
  const find = (name: BinaryName) =>
    officialBinary(release, name, base) ?? unofficialBinary(release, name, { base, trusted })
  return {
    downloads: names.flatMap((name) => find(name) ?? []),
    unavailable: names.filter((name) => find(name) === undefined),
  }
}

/** Whether the user wants no network. */
export function isOffline(environment: Environment): boolean {
  return !['', '0', 'false', undefined].includes(environment['VPLANE_OFFLINE'])
}

function mirrorOf(environment: Environment): string | undefined {
  const mirror = environment['VPLANE_MIRROR']
  if (mirror === undefined || mirror === '') {
    return undefined
  }
  if (!['http:', 'https:'].includes(URL.parse(mirror)?.protocol ?? '')) {
    throw new VplaneError('USAGE', `VPLANE_MIRROR is not an http or https URL: "${mirror}"`, {
      hints: ['export VPLANE_MIRROR=https://mirror.example.com'],
    })
  }
  return mirror.replace(/\/+$/, '')
}

function officialBinary(
  { platform, version }: Release,
  name: BinaryName,
  base: string,
): Download | undefined {
  // Kubernetes releases only its clients for macOS.
  if (platform.os === 'darwin' && name !== 'kubectl') {
    return undefined
  }
  const url = `${base}/dl.k8s.io/release/v${version}/bin/${platform.os}/${platform.arch}/${name}`
  return { url, checksum: { url: `${url}.sha256`, fileName: name } }
}

function unofficialBinary(
  { platform, version }: Release,
  name: BinaryName,
  { base, trusted }: { base: string; trusted: ChecksumTable },
): Download | undefined {
  const sha256 = trusted[version]?.[formatPlatform(platform)]?.[name]
  if (sha256 === undefined) {
    return undefined
  }
  const tag = `v${version}-kwok.0-${formatPlatform(platform)}`
  return {
    url: `${base}/github.com/kwok-ci/k8s/releases/download/${tag}/${name}`,
    checksum: { sha256 },
    unofficialFrom: 'github.com/kwok-ci/k8s',
  }
}

function etcdArchive({ platform, version }: Release, base: string): Download {
  const folder = `${base}/github.com/etcd-io/etcd/releases/download/v${version}`
  const stem = `etcd-v${version}-${formatPlatform(platform)}`
  const format = platform.os === 'darwin' ? 'zip' : 'tar.gz'
  return {
    url: `${folder}/${stem}.${format}`,
    checksum: { url: `${folder}/SHA256SUMS`, fileName: `${stem}.${format}` },
    archive: { format, paths: [`${stem}/etcd`, `${stem}/etcdutl`] },
  }
}
