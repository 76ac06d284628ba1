import type { AnyComponentName } from '../../../control-plane/plane/plane.ts'

const PATHS: Record<AnyComponentName, string> = {
  etcd: 'etcd',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
  syncer: 'sync',
  'kube-scheduler': 'scheduler',
  keeper: 'keeper',
}

/** The part of a spec that is about a component, as `--set` names it. */
export function specPathOf(component: AnyComponentName | undefined): string | undefined {
  return component === undefined ? undefined : PATHS[component]
}
