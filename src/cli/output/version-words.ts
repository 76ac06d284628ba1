import type { PlaneSpec } from '../../control-plane/spec/spec.ts'
import { sharedEtcdOf, storeOf } from '../../control-plane/store/store.ts'

/** What a plane runs: `Kubernetes 1.36.3, etcd 3.6.16`. */
export function versionWords({ etcdVersion, kineVersion, store, version }: PlaneSpec): string {
  if (sharedEtcdOf({ store }) !== undefined) {
    return `Kubernetes ${version}, a shared etcd`
  }
  const data =
    kineVersion === undefined
      ? `etcd ${etcdVersion}`
      : `kine ${kineVersion} with ${storeOf({ store }).title}`
  return `Kubernetes ${version}, ${data}`
}
