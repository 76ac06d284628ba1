import { minorOf } from './kubernetes-version.ts'

/** A version of one of Kubernetes' own APIs that a later Kubernetes does not serve, or cannot even read. */
export interface LostVersion {
  /** `scheduling.k8s.io/v1alpha1` */
  apiVersion: string
  /** As paths and etcd's keys name it: `workloads`. */
  resource: string
  /** The minor before has another version too, in which the same object can be written again. */
  hasOther: boolean
}

/**
 * What each minor has lost that the one before could store: by the types that `k8s.io/api` registers for a group and
 * version, and by the releases in which it says that they are removed (`zz_generated.prerelease-lifecycle.go`). A test
 * compares it with the modules of these releases.
 */
export const LOST_VERSIONS: Readonly<Record<number, readonly LostVersion[]>> = {
  35: [
    lost('certificates.k8s.io/v1alpha1', 'podcertificaterequests'),
    { ...lost('storage.k8s.io/v1alpha1', 'volumeattributesclasses'), hasOther: true },
    lost('storagemigration.k8s.io/v1alpha1', 'storageversionmigrations'),
  ],
  36: [
    { ...lost('autoscaling/v2beta1', 'horizontalpodautoscalers'), hasOther: true },
    { ...lost('autoscaling/v2beta2', 'horizontalpodautoscalers'), hasOther: true },
    { ...lost('scheduling.k8s.io/v1alpha1', 'priorityclasses'), hasOther: true },
    lost('scheduling.k8s.io/v1alpha1', 'workloads'),
  ],
}

/** What is lost on the way from one version to a later one: from `1.35.4` to `1.36.3`. */
export function lostVersions(from: string, to: string): LostVersion[] {
  return Object.entries(LOST_VERSIONS)
    .filter(([minor]) => Number(minor) > minorOf(from) && Number(minor) <= minorOf(to))
    .flatMap(([, lost]) => lost)
}

function lost(apiVersion: string, resource: string): LostVersion {
  return { apiVersion, resource, hasOther: false }
}
