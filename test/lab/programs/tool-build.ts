import { join } from 'node:path'
import type { GoBuild } from '../../../src/drivers/local/binaries/build/go-build.ts'
import { formatPlatform } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { type BuildPlace, nodeBuild } from './lab-builds.ts'

/** What only some tests ask for, with the module that it is built from. */
export const TOOLS = {
  helm: { module: 'helm.sh/helm/v3', version: '3.22.0' },
  kwok: { module: 'sigs.k8s.io/kwok', version: '0.8.0' },
  'metrics-server': { module: 'sigs.k8s.io/metrics-server', version: '0.9.0' },
} as const

export type ToolName = keyof typeof TOOLS

export interface ToolSources {
  /** The version of Kubernetes that it is built beside. */
  kubernetesVersion: string
  /** The go.mod that the tool is published with. */
  goMod: string
}

/** Where a tool is, or will be. */
export function toolFolder(name: ToolName, { platform, programs }: BuildPlace): string {
  return join(programs, name, TOOLS[name].version, formatPlatform(platform))
}

/**
 * How a tool is built: with the modules that Kubernetes has, in the versions that Kubernetes has them. So most of it has
 * been compiled already.
 */
export function toolBuild(name: ToolName, sources: ToolSources, place: BuildPlace): GoBuild {
  const { module, version } = TOOLS[name]
  const kubernetes = nodeBuild(sources.kubernetesVersion, place)
  return {
    ...kubernetes,
    title: `${name} ${version}`,
    folder: toolFolder(name, place),
    packages: { [name]: `${module}/cmd/${name}` },
    goMod: (published) => {
      const own = kubernetes.goMod(published)
      const excluded = otherVersions(sources.goMod, own).map((line) => `exclude ${line}\n`)
      return `${own}require ${module} v${version}\n${excluded.join('')}`
    },
    linkerFlags: '-s -w',
  }
}

/**
 * What a go.mod requires in another version than `own` does. Go would take the higher one, and compile all that depends
 * on it once more. (That `replace` names a lower one does not help: what is compiled bears the version that is replaced.)
 */
function otherVersions(goMod: string, own: string): string[] {
  const versions = new Map(requirementsIn(own))
  return requirementsIn(goMod).flatMap(([path, version]) =>
    [undefined, version].includes(versions.get(path)) ? [] : [`${path} ${version}`],
  )
}

function requirementsIn(goMod: string): Array<[path: string, version: string]> {
  return [...goMod.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, path = '', version = '']) => [
    path,
    version,
  ])
}
