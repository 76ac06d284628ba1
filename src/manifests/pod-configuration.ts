import { configurationFiles } from '../control-plane/components/configuration-files.ts'
import type { ComponentName } from '../control-plane/plane.ts'
import { hostOf, type ManifestInput } from './manifest-input.ts'
import { memberFile, memberName, podLayout } from './pod-layout.ts'

type Files = Record<string, string>

/** The files of a component's ConfigMap. */
export interface PodConfiguration {
  files: Files
  /** What a process reads at its start alone: when it changes, the pod has to be replaced. */
  readOnce: Files
}

/** The configuration files of a component's pods. */
export function podConfiguration(input: ManifestInput, component: ComponentName): PodConfiguration {
  return CONFIGURATION[component](input)
}

const CONFIGURATION: Record<ComponentName, (input: ManifestInput) => PodConfiguration> = {
  etcd: (input) => ({
    files: memberFiles(input),
    // The initial state matters to a member without data alone.
    readOnce: memberFiles({ ...input, initialState: 'new' }),
  }),
  'kube-apiserver': (input) => {
    const readOnce = pick(filesOf(input), ['audit-policy.json'])
    return { files: { ...pick(filesOf(input), ['authentication.json']), ...readOnce }, readOnce }
  },
  'kube-controller-manager': (input) => {
    const files = pick(filesOf(input), ['controller-manager.kubeconfig'])
    return { files, readOnce: files }
  },
}

function memberFiles(input: ManifestInput): Files {
  const ordinals = Array.from({ length: hostOf(input.spec).etcd.replicas }, (_, index) => index)
  const files = ordinals.map((ordinal) =>
    pick(filesOf(input, ordinal), [memberFile(memberName(input.name, ordinal))]),
  )
  return Object.assign({}, ...files)
}

function filesOf(input: ManifestInput, ordinal?: number): Files {
  return configurationFiles(input.spec, podLayout(input, ordinal))
}

function pick(files: Files, names: readonly string[]): Files {
  return Object.fromEntries(Object.entries(files).filter(([name]) => names.includes(name)))
}
