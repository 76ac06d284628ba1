import { minorOf } from './kubernetes-version.ts'

/** A version of a built-in API that a later Kubernetes does not serve, or cannot even decode. */
export interface LostVersion {
  /** `scheduling.k8s.io/v1alpha1` */
  apiVersion: string
  /** The plural in API paths and etcd keys: `workloads`. */
  resource: string
  /** Whether the previous minor also serves another version, in which the same objects can be stored instead. */
  hasOther: boolean
}

/**
 * The versions that each minor removed and that the previous minor could store, by the types that `k8s.io/api`
 * registers for each group and version, and its removal releases (`zz_generated.prerelease-lifecycle.go`). A test
 * compares this table with the modules of these releases.
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
  37: [
    { ...lost('certificates.k8s.io/v1alpha1', 'clustertrustbundles'), hasOther: true },
    { ...lost('networking.k8s.io/v1beta1', 'ipaddresses'), hasOther: true },
    { ...lost('networking.k8s.io/v1beta1', 'servicecidrs'), hasOther: true },
    lost('scheduling.k8s.io/v1alpha2', 'podgroups'),
    lost('scheduling.k8s.io/v1alpha2', 'workloads'),
    { ...lost('storage.k8s.io/v1beta1', 'volumeattributesclasses'), hasOther: true },
  ],
}

/** The API versions that an upgrade removes, such as from `1.35.4` to `1.36.3`. */
export function lostVersions(from: string, to: string): LostVersion[] {
  return Object.entries(LOST_VERSIONS)
    .filter(([minor]) => Number(minor) > minorOf(from) && Number(minor) <= minorOf(to))
    .flatMap(([, lost]) => lost)
}

function lost(apiVersion: string, resource: string): LostVersion {
  return { apiVersion, resource, hasOther: false }
}
