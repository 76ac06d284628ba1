import { isReadable } from '../control-plane/plane/unreadable-plane.ts'
import {
  etcdVersionOf,
  formatVersion,
  parseKubernetesVersion,
} from '../control-plane/spec/kubernetes-version.ts'
import { BINARY_NAMES, type BinaryName } from '../drivers/local/binaries/cache/binary.ts'
import { ensureBinaries } from '../drivers/local/binaries/ensure-binaries.ts'
import { type CachedBinary, listBinaries } from '../drivers/local/binaries/list-binaries.ts'
import { pruneBinaries, type PruneResult } from '../drivers/local/binaries/prune-binaries.ts'
import type { Environment } from '../shared/environment.ts'
import type { Composition } from './compose.ts'

export interface PulledBinary {
  name: BinaryName
  version: string
  path: string
}

/** The binaries in the cache. */
export async function cachedBinaries({ paths }: Composition): Promise<CachedBinary[]> {
  return listBinaries(paths)
}

/**
 * Gets all binaries of Kubernetes versions into the cache.
 *
 * @throws {VplaneError} `USAGE` when a version is unknown, and what `ensureBinaries` throws.
 */
export async function pullBinaries(
  { paths, ui }: Composition,
  {
    environment,
    signal,
    versions,
  }: { versions: readonly string[]; environment: Environment; signal: AbortSignal },
): Promise<PulledBinary[]> {
  const wanted = versions.map((version) => parseKubernetesVersion(version))
  const pulled: PulledBinary[] = []
  for (const version of wanted) {
    const kubernetesVersion = formatVersion(version)
    const etcdVersion = etcdVersionOf(version)
    const found = await ensureBinaries(
      { kubernetesVersion, etcdVersion, names: BINARY_NAMES },
      { paths, environment, ui, signal },
    )
    pulled.push(
      ...BINARY_NAMES.map((name) => ({
        name,
        version: name.startsWith('etcd') ? etcdVersion : kubernetesVersion,
        path: found[name],
      })),
    )
  }
  return pulled
}

/** Removes the binaries that no plane was made with. */
export async function pruneUnusedBinaries(
  { drivers, paths }: Composition,
  { buildCache }: { buildCache: boolean },
): Promise<PruneResult> {
  const local = drivers.filter(({ name }) => name === 'local')
  const planes = (await Promise.all(local.map((driver) => driver.list()))).flat()
  const specs = planes.filter(isReadable).map(({ spec }) => spec)
  const keepVersions = {
    kubernetes: specs.map(({ version }) => version),
    etcd: specs.map(({ etcdVersion }) => etcdVersion),
  }
  return pruneBinaries({ keepVersions, buildCache }, paths)
}
