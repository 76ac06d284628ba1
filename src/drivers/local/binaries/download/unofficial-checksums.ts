import type { BinaryName } from '../cache/binary.ts'

/** SHA-256 of binaries by Kubernetes version, `os-arch` and name. */
export type ChecksumTable = Readonly<
  Record<string, Readonly<Record<string, Readonly<Partial<Record<BinaryName, string>>>>>>
>

/**
 * The binaries of github.com/kwok-ci/k8s that vplane trusts. Its releases can be changed after the fact and carry no
 * signatures, so only what somebody compared is listed; every other version is built instead. A release's digests:
 * `gh api repos/kwok-ci/k8s/releases/tags/v1.36.3-kwok.0-darwin-arm64 --jq '.assets[] | .name, .digest'`.
 */
export const UNOFFICIAL_CHECKSUMS: ChecksumTable = {}
