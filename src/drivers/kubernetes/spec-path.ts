import type { ComponentName } from '../../control-plane/plane.ts'

const PATHS: Record<ComponentName, string> = {
  etcd: 'etcd',
  'kube-apiserver': 'apiServer',
  'kube-controller-manager': 'controllerManager',
}

/** The part of a spec that is about a component, as `--set` names it. */
export function specPathOf(component: ComponentName | undefined): string | undefined {
  return component === undefined ? undefined : PATHS[component]
}
