import type { HostedName } from '../plane/plane.ts'
import type { ComponentSpec, PlaneSpec } from '../spec/spec.ts'
import { ownStoreOf } from '../store/store.ts'
import { apiServerArguments } from './arguments/api-server-arguments.ts'
import { controllerManagerArguments } from './arguments/controller-manager-arguments.ts'
import { kineArguments } from './arguments/kine-arguments.ts'
import { ETCD_FILE, type Layout } from './arguments/layout.ts'
import { schedulerArguments } from './arguments/scheduler-arguments.ts'

/** One program of a plane, from which a driver creates a process or a pod. The binary has the component's name. */
export interface ComponentDescription {
  name: HostedName
  args: string[]
  env: Record<string, string>
}

/** In start order. @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed flag. */
export function describeComponents(spec: PlaneSpec, layout: Layout): ComponentDescription[] {
  return [
    ...storeComponent(spec, layout),
    described('kube-apiserver', apiServerArguments(spec, layout), spec.apiServer),
    described(
      'kube-controller-manager',
      controllerManagerArguments(spec, layout),
      spec.controllerManager,
    ),
    ...schedulerOf(spec, layout),
  ]
}

function storeComponent(spec: PlaneSpec, layout: Layout): ComponentDescription[] {
  const component = ownStoreOf(spec)
  if (component === undefined) {
    return []
  }
  const { configurationFile = ETCD_FILE } = layout.etcd
  const args =
    component === 'kine'
      ? kineArguments(spec, layout)
      : [`--config-file=${layout.configurationFolder}/${configurationFile}`]
  return [described(component, args, spec.etcd)]
}

function schedulerOf(spec: PlaneSpec, layout: Layout): ComponentDescription[] {
  if (spec.scheduler === undefined || layout.scheduler === undefined) {
    return []
  }
  const withScheduler = { ...layout, scheduler: layout.scheduler }
  const args = schedulerArguments({ ...spec, scheduler: spec.scheduler }, withScheduler)
  return [described('kube-scheduler', args, spec.scheduler)]
}

function described(
  name: ComponentDescription['name'],
  args: string[],
  { goGc }: ComponentSpec,
): ComponentDescription {
  return { name, args, env: { GOGC: String(goGc) } }
}
