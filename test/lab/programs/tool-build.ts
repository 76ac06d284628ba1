import { join } from 'node:path'
import type { GoBuild } from '../../../src/drivers/local/binaries/build/go-build.ts'
import { formatPlatform } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { type BuildPlace, nodeBuild } from './lab-builds.ts'

/** What only some tests ask for, with the module that it is built from; `main` is its package there, if not `cmd/NAME`. */
export const TOOLS = {
  'cluster-api': { module: 'sigs.k8s.io/cluster-api', version: '1.14.2', main: 'core' },
  helm: { module: 'helm.sh/helm/v3', version: '3.22.0' },
  kwok: { module: 'sigs.k8s.io/kwok', version: '0.8.0' },
  'metrics-server': { module: 'sigs.k8s.io/metrics-server', version: '0.9.0' },
} as const

export type ToolName = keyof typeof TOOLS

interface Tool {
  module: string
  version: string
  main?: string
}

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
  const { module, version, main = `cmd/${name}` }: Tool = TOOLS[name]
  const kubernetes = nodeBuild(sources.kubernetesVersion, place)
  return {
    ...kubernetes,
    title: `${name} ${version}`,
    folder: toolFolder(name, place),
    packages: { [name]: `${module}/${main}` },
    goMod: (kubernetesGoMod) => {
      const own = kubernetes.goMod(kubernetesGoMod)
      const excluded = otherVersions(sources.goMod, own).map((line) => `exclude ${line}\n`)
      const published = ownModules(sources.goMod).map(
        (path) => `replace ${path} => ${path} v${version}\n`,
      )
      return [own, `require ${module} v${version}\n`, ...excluded, ...published].join('')
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

/** The modules that a go.mod replaces with folders beside it: they are published in the same version. */
function ownModules(goMod: string): string[] {
  return [...goMod.matchAll(/^replace (\S+) => \.\//gm)].map(([, path = '']) => path)
}

function requirementsIn(goMod: string): Array<[path: string, version: string]> {
  return [...goMod.matchAll(/^\t(\S+) (v\S+)/gm)].map(([, path = '', version = '']) => [
    path,
    version,
  ])
}
