import type { Driver } from '../../../control-plane/driver/driver.ts'
import { isReadable } from '../../../control-plane/plane/unreadable-plane.ts'
import {
  etcdVersionOf,
  formatVersion,
  parseKubernetesVersion,
} from '../../../control-plane/spec/kubernetes-version.ts'
import { KINE_VERSION } from '../../../control-plane/store/kine-version.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { BINARY_NAMES, type BinaryName, PROJECTS, projectOf } from './cache/binary.ts'
import { platformOf } from './cache/platform.ts'
import { type BinariesContext, ensureBinaries } from './ensure-binaries.ts'
import type { ReleaseSupply } from './examine-release.ts'
import { type CachedBinary, listBinaries } from './list-binaries.ts'
import { pruneBinaries, type PruneResult } from './prune-binaries.ts'

export type PulledBinary = Pick<CachedBinary, 'name' | 'version' | 'path'>

export interface PullRequest {
  versions: readonly string[]
  /** @default false */
  kine?: boolean
}

export interface ManagedBinaries {
  list(): Promise<CachedBinary[]>
  /** Adds all binaries of Kubernetes versions to the cache, and kine if asked for. @throws {VplaneError} `USAGE` for an unknown version. */
  pull(request: PullRequest, signal: AbortSignal): Promise<PulledBinary[]>
  /** Checks which binaries of two versions are missing, and how vplane would get them. Changes nothing. */
  examine(
    versions: Pick<PlaneSpec, 'version' | 'etcdVersion' | 'kineVersion'>,
    names: readonly BinaryName[],
  ): Promise<ReleaseSupply[]>
  /** Removes the binaries that no plane of this machine uses. */
  prune(options: { buildCache: boolean }): Promise<PruneResult>
}

export interface BinariesDependencies extends Omit<BinariesContext, 'signal'> {
  /** The driver of local planes; undefined where the machine does not support them. */
  driver: Pick<Driver, 'list'> | undefined
}

/** The binaries in the cache of this machine. */
export function managedBinaries({ driver, ...machine }: BinariesDependencies): ManagedBinaries {
  return {
    list: () => listBinaries(machine.paths),
    pull: async ({ kine = false, versions }, signal) => {
      const wanted = versions.map((version) => parseKubernetesVersion(version))
      const pulled: PulledBinary[] = []
      for (const version of wanted) {
        const [kubernetes, etcd] = [formatVersion(version), etcdVersionOf(version)]
        const found = { kubernetes, etcd, kine: KINE_VERSION }
        const names = BINARY_NAMES.filter((name) => kine || name !== 'kine')
        const request = { kubernetesVersion: kubernetes, etcdVersion: etcd, names }
        const paths = await ensureBinaries(request, { ...machine, signal })
        for (const name of names) {
          pulled.push({ name, version: found[projectOf(name)], path: paths[name] })
        }
      }
      return pulled
    },
    examine: async ({ etcdVersion, kineVersion = KINE_VERSION, version }, names) => {
      const { examineRelease } = await import('./examine-release.ts')
      const platform = machine.platform ?? platformOf()
      const versions = { kubernetes: version, etcd: etcdVersion, kine: kineVersion }
      const supplies = PROJECTS.flatMap((project) => {
        const wanted = names.filter((name) => projectOf(name) === project)
        const release = { project, version: versions[project], platform }
        return wanted.length === 0
          ? []
          : [examineRelease(release, { names: wanted, beside: version }, machine)]
      })
      return Promise.all(supplies)
    },
    prune: async ({ buildCache }) => {
      const specs = ((await driver?.list()) ?? []).filter(isReadable).map(({ spec }) => spec)
      const keepVersions = {
        kubernetes: specs.map(({ version }) => version),
        etcd: specs.map(({ etcdVersion }) => etcdVersion),
        kine: specs.flatMap(({ kineVersion }) => kineVersion ?? []),
      }
      return pruneBinaries({ keepVersions, buildCache }, machine.paths)
    },
  }
}
