import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/spec/kubernetes-version.ts'
import type { BinaryName } from '../../../src/drivers/local/binaries/cache/binary.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { isExecutable } from '../../../src/drivers/local/binaries/cache/is-executable.ts'
import { platformOf } from '../../../src/drivers/local/binaries/cache/platform.ts'
import { goModuleFolder } from '../../support/programs/go-module.ts'
import { ensureImage } from '../images/ensure-image.ts'
import {
  addonRecipes,
  etcdRecipe,
  type ImageRecipe,
  kineRecipe,
  metricsServerRecipe,
  planeRecipes,
  schedulerRecipe,
} from '../images/lab-images.ts'
import { nodeRecipe } from '../images/node-recipe.ts'
import type { LabContext } from '../lab-context.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { ensurePrograms } from './ensure-programs.ts'
import { agnhostBuild, corednsBuild, nodeBuild } from './lab-builds.ts'
import { toolBuild, toolFolder, type ToolName, TOOLS } from './tool-build.ts'

/** What no program that is asked for depends on. */
const ANY_ETCD = etcdVersionOf(parseKubernetesVersion(DEFAULT_KUBERNETES_VERSION))

/** The paths of programs by name. */
export type Programs = Readonly<Record<string, string>>

/** The programs of a host cluster of a Kubernetes version: control plane and nodes. */
export async function ensureHostPrograms(version: string, context: LabContext): Promise<Programs> {
  const place = { platform: platformOf(), programs: context.folder.programs }
  return {
    ...(await planePrograms(version, context)),
    ...(await ensurePrograms(nodeBuild(version, place), context)),
  }
}

/** Archives of the images that every cluster has. */
export async function ensureAddonImages(
  context: LabContext,
  tools: DebianTools,
): Promise<string[]> {
  const place = { platform: platformOf(), programs: context.folder.programs }
  const programs: Record<string, string> = { busybox: tools.pathOf('busybox') }
  // The newest Kubernetes has the agnhost of this version.
  const agnhost = agnhostBuild(DEFAULT_KUBERNETES_VERSION, place)
  for (const build of [corednsBuild(place), agnhost]) {
    Object.assign(programs, await ensurePrograms(build, context))
  }
  return await archives([...addonRecipes(programs), await nodeRecipe(tools)], context)
}

/** Archives of the images of planes of a Kubernetes version. */
export async function ensurePlaneImages(version: string, context: LabContext): Promise<string[]> {
  const etcdVersion = etcdVersionOf(parseKubernetesVersion(version))
  const programs = await planePrograms(version, context)
  return await archives(planeRecipes({ version, etcdVersion }, programs), context)
}

/** The archive of the image of a version of etcd, whichever planes have it. */
export async function ensureEtcdImage(version: string, context: LabContext): Promise<string> {
  const programs = await planeBinaries(['etcd', 'etcdutl'], { etcdVersion: version }, context)
  return await ensureImage(etcdRecipe(version, programs), context.folder)
}

/** The archive of the image of kine. */
export async function ensureKineImage(context: LabContext): Promise<string> {
  const { kine = '' } = await planeBinaries(['kine'], { etcdVersion: ANY_ETCD }, context)
  return await ensureImage(kineRecipe(kine), context.folder)
}

/** The archive of the image of a scheduler of the planes of a Kubernetes version. */
export async function ensureSchedulerImage(
  version: string,
  context: LabContext,
): Promise<string[]> {
  const place = { platform: platformOf(), programs: context.folder.programs }
  const programs = await ensurePrograms(nodeBuild(version, place), context)
  return await archives([schedulerRecipe(version, programs['kube-scheduler'] ?? '')], context)
}

/** The archive of metrics-server's image. */
export async function ensureMetricsServerImage(context: LabContext): Promise<string[]> {
  return await archives([metricsServerRecipe(await ensureTool('metrics-server', context))], context)
}

/** The path of a tool. */
export async function ensureTool(name: ToolName, context: LabContext): Promise<string> {
  const place = { platform: platformOf(), programs: context.folder.programs }
  const program = join(toolFolder(name, place), name)
  if (!isExecutable(program)) {
    const goMod = await readFile(join(await toolSource(name), 'go.mod'), 'utf8')
    const sources = { kubernetesVersion: DEFAULT_KUBERNETES_VERSION, goMod }
    await ensurePrograms(toolBuild(name, sources, place), context)
  }
  return program
}

/** The folder of a tool's module, with all that it has besides: charts, settings. */
export async function toolSource(name: ToolName): Promise<string> {
  const { module, version } = TOOLS[name]
  return await goModuleFolder(`${module}@v${version}`)
}

function planePrograms(version: string, context: LabContext): Promise<Programs> {
  const etcdVersion = etcdVersionOf(parseKubernetesVersion(version))
  const names = ['etcd', 'etcdutl', 'kube-apiserver', 'kube-controller-manager'] as const
  return planeBinaries(names, { kubernetesVersion: version, etcdVersion }, context)
}

async function planeBinaries(
  names: readonly BinaryName[],
  {
    etcdVersion,
    kubernetesVersion = DEFAULT_KUBERNETES_VERSION,
  }: { etcdVersion: string; kubernetesVersion?: string },
  { environment, folder, signal, ui }: LabContext,
): Promise<Programs> {
  return await ensureBinaries(
    { kubernetesVersion, etcdVersion, names },
    { paths: folder, environment, ui, signal },
  )
}

async function archives(
  recipes: readonly ImageRecipe[],
  { folder }: LabContext,
): Promise<string[]> {
  const paths: string[] = []
  for (const recipe of recipes) {
    paths.push(await ensureImage(recipe, folder))
  }
  return paths
}
