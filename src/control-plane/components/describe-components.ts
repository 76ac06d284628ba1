import type { ProgramName } from '../plane/plane.ts'
import type { PlaneSpec } from '../spec/spec.ts'
import { apiServerArguments } from './arguments/api-server-arguments.ts'
import { controllerManagerArguments } from './arguments/controller-manager-arguments.ts'
import { ETCD_FILE, type Layout } from './arguments/layout.ts'
import { schedulerArguments } from './arguments/scheduler-arguments.ts'

/** One process of a plane, as data: a driver makes a process or a pod of it. The binary has the component's name. */
export interface ComponentDescription {
  name: ProgramName
  args: string[]
  env: Record<string, string>
}

/**
 * The components of a plane in the order of their start.
 *
 * @throws {VplaneError} `INVALID_SPEC` when extraArgs name a managed flag.
 */
export function describeComponents(spec: PlaneSpec, layout: Layout): ComponentDescription[] {
  const { configurationFile = ETCD_FILE } = layout.etcd
  return [
    {
      name: 'etcd',
      args: [`--config-file=${layout.configurationFolder}/${configurationFile}`],
      env: { GOGC: String(spec.etcd.goGc) },
    },
    {
      name: 'kube-apiserver',
      args: apiServerArguments(spec, layout),
      env: { GOGC: String(spec.apiServer.goGc) },
    },
    {
      name: 'kube-controller-manager',
      args: controllerManagerArguments(spec, layout),
      env: { GOGC: String(spec.controllerManager.goGc) },
    },
    ...schedulerOf(spec, layout),
  ]
}

function schedulerOf({ scheduler, ...spec }: PlaneSpec, layout: Layout): ComponentDescription[] {
  return scheduler === undefined || layout.scheduler === undefined
    ? []
    : [
        {
          name: 'kube-scheduler',
          args: schedulerArguments(
            { ...spec, scheduler },
            { ...layout, scheduler: layout.scheduler },
          ),
          env: { GOGC: String(scheduler.goGc) },
        },
      ]
}
