import type { LostVersion } from '../../spec/lost-versions.ts'
import type { PlaneSpec } from '../../spec/spec.ts'

const FLAG = 'runtime-config'

/**
 * What a spec switches on of kube-apiserver's APIs and is not there any more, as people read it; nothing when there is
 * none. kube-apiserver serves the rest where it still knows the version, as of autoscaling/v2beta2, and does not start where
 * it does not ("group version storagemigration.k8s.io/v1alpha1 that has not been registered", 1.35).
 *
 * @param lost the versions that go away
 * @param version the one that the plane is to have
 */
export function lostSettingLines(
  { apiServer }: Pick<PlaneSpec, 'apiServer'>,
  lost: readonly LostVersion[],
  version: string,
): string[] {
  const settings = [apiServer.extraArgs[FLAG] ?? []].flat().flatMap((value) => value.split(','))
  const found = settings
    .filter((setting) => !setting.endsWith('=false'))
    .flatMap((setting) => {
      const gone = lost.filter((one) => isNamed(setting.split('=')[0] ?? '', one))
      const resources = gone.map(({ resource }) => resource).join(', ')
      return gone.length === 0 ? [] : [`  ${setting}: it has no ${resources} of that version`]
    })
  return found.length === 0
    ? []
    : [
        `apiServer.extraArgs.${FLAG} of its spec switches on what Kubernetes ${version} does not have, and may not start with:`,
        ...found,
      ]
}

/** A setting is about a version of a group, or about one resource of it: `scheduling.k8s.io/v1alpha1/workloads`. */
function isNamed(name: string, { apiVersion, resource }: LostVersion): boolean {
  return [apiVersion, `${apiVersion}/${resource}`].includes(name)
}
