import { join } from 'node:path'
import { type GoBuild, releaseBuild } from '../../../src/drivers/local/binaries/build/go-build.ts'
import type { Platform } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { formatPlatform } from '../../../src/drivers/local/binaries/cache/platform.ts'

const MIB = 1024 ** 2

/** The programs of a host cluster's nodes, beside those of planes. */
const NODE_PROGRAMS = ['kube-proxy', 'kube-scheduler', 'kubelet'] as const

/** The releases of what runs in every host cluster. */
export const ADDON_VERSIONS = {
  agnhost: '2.63.0',
  coredns: '1.14.6',
} as const

/** What programs are built for, and where they go. */
export interface BuildPlace {
  platform: Platform
  /** The lab's folder of programs. */
  programs: string
}

/** How the programs of a host cluster's nodes are built, beside those of its control plane. */
export function nodeBuild(version: string, place: BuildPlace): GoBuild {
  const release = { project: 'kubernetes', version, platform: place.platform } as const
  return {
    ...releaseBuild(release, [], place.programs),
    ...common(place, { name: 'kubernetes', version }),
    title: `the node programs of Kubernetes ${version}`,
    packages: Object.fromEntries(
      NODE_PROGRAMS.map((name) => [name, `k8s.io/kubernetes/cmd/${name}`]),
    ),
  }
}

/** How agnhost is built, the helper program of Kubernetes' own tests, from the source of a Kubernetes version. */
export function agnhostBuild(kubernetesVersion: string, place: BuildPlace): GoBuild {
  return {
    ...nodeBuild(kubernetesVersion, place),
    ...common(place, { name: 'agnhost', version: ADDON_VERSIONS.agnhost }),
    version: kubernetesVersion,
    title: `agnhost ${ADDON_VERSIONS.agnhost}`,
    packages: { agnhost: 'k8s.io/kubernetes/test/images/agnhost' },
  }
}

/** How coredns is built: its module's own folder is a main package. */
export function corednsBuild(place: BuildPlace): GoBuild {
  const name = 'coredns'
  const module = 'github.com/coredns/coredns'
  const version = ADDON_VERSIONS[name]
  return {
    ...common(place, { name, version }),
    title: `${name} ${version}`,
    module,
    packages: { [name]: module },
    goMod: () => `module vplane.dev/build\n\ngo 1.26\n\nrequire ${module} v${version}\n`,
    linkerFlags: '-s -w',
  }
}

function common(
  { platform, programs }: BuildPlace,
  { name, version }: { name: string; version: string },
) {
  return {
    version,
    platform,
    space: { cold: 4096 * MIB, warm: 1024 * MIB },
    folder: join(programs, name, version, formatPlatform(platform)),
  }
}
