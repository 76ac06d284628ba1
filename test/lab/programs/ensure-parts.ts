import {
  DEFAULT_KUBERNETES_VERSION,
  etcdVersionOf,
  parseKubernetesVersion,
} from '../../../src/control-plane/kubernetes-version.ts'
import { ensureBinaries } from '../../../src/drivers/local/binaries/ensure-binaries.ts'
import { platformOf } from '../../../src/drivers/local/binaries/platform.ts'
import { ensureImage } from '../images/ensure-image.ts'
import { addonRecipes, type ImageRecipe, planeRecipes } from '../images/lab-images.ts'
import { nodeRecipe } from '../images/node-recipe.ts'
import type { LabContext } from '../lab-context.ts'
import type { DebianTools } from '../machine/debian-tools.ts'
import { ensurePrograms } from './ensure-programs.ts'
import { agnhostBuild, corednsBuild, localPathProvisionerBuild, nodeBuild } from './lab-builds.ts'

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
  for (const build of [corednsBuild(place), localPathProvisionerBuild(place), agnhost]) {
    Object.assign(programs, await ensurePrograms(build, context))
  }
  return await archives([...addonRecipes(programs), await nodeRecipe(tools)], context)
}

/** Archives of the images that planes of a Kubernetes version are made of. */
export async function ensurePlaneImages(version: string, context: LabContext): Promise<string[]> {
  const etcdVersion = etcdVersionOf(parseKubernetesVersion(version))
  const programs = await planePrograms(version, context)
  return await archives(planeRecipes({ version, etcdVersion }, programs), context)
}

async function planePrograms(version: string, context: LabContext): Promise<Programs> {
  const { environment, folder, signal, ui } = context
  return await ensureBinaries(
    {
      kubernetesVersion: version,
      etcdVersion: etcdVersionOf(parseKubernetesVersion(version)),
      names: ['etcd', 'etcdutl', 'kube-apiserver', 'kube-controller-manager'],
    },
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
