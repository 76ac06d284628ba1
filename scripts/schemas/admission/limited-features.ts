import { at, type OfSpec, runsPods } from './cel.ts'

export interface Feature {
  /** An expression for whether a spec uses it. */
  isUsed: OfSpec
  /** An expression for what a spec uses of it. */
  value: OfSpec
}

const COMPONENTS = ['etcd', 'apiServer', 'controllerManager', 'scheduler']

/** What a spec adds to the pods of components. */
export const POD_TEMPLATES = filled(...COMPONENTS.map((component) => `${component}.podTemplate`))

/** The fields that ControlPlaneLimits can forbid by name. */
export const LIMITED_FEATURES: Readonly<Record<string, Feature>> = {
  sync: yesOrNo(runsPods),
  'sync.nodes': ofPods('sync.nodes'),
  'sync.classes': ofPods('sync.classes'),
  'sync.hostServices': filled('sync.hostServices'),
  'apiServer.egress': filled('apiServer.egress'),
  backup: filled('backup'),
  extraArgs: filled(...COMPONENTS.map((component) => `${component}.extraArgs`)),
  podTemplate: POD_TEMPLATES,
  featureGates: filled('featureGates'),
  'metrics.serviceMonitor': yesOrNo(at('metrics.serviceMonitor', 'false')),
}

function yesOrNo(isUsed: OfSpec): Feature {
  return { isUsed, value: isUsed }
}

function ofPods(path: string): Feature {
  const isSet = at(path, 'false')
  return yesOrNo((spec) => `(${runsPods(spec)} && ${isSet(spec)})`)
}

/** Fields with lists or other fields. API servers know no type for those with values of several types. */
function filled(...paths: string[]): Feature {
  const fields = paths.map((path) => path.split('.').map((name) => `.?${name}`))
  const value: OfSpec = (spec) =>
    `[${fields.map((names) => `dyn(${spec})${names.join('')}`).join(', ')}]`
  return {
    value,
    isUsed: (spec) => `${value(spec)}.exists(one, one.hasValue() && one.value().size() > 0)`,
  }
}
