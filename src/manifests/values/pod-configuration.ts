import { configurationFiles } from '../../control-plane/components/configuration-files.ts'
import type { HostedName } from '../../control-plane/plane/plane.ts'
import { databaseOf } from '../../control-plane/store/store.ts'
import { hostOf, type ManifestInput } from '../templates/manifest-input.ts'
import { DATA_MODE, memberFile, memberName, podLayout } from '../pod-layout.ts'

type Files = Record<string, string>

interface PodConfiguration {
  files: Files
  /** The files that a process only reads at its start: a change of them replaces the pod. */
  readOnce: Files
}

/** The configuration files of a component's pods. */
export function podConfiguration(input: ManifestInput, component: HostedName): PodConfiguration {
  return CONFIGURATION[component](input)
}

const CONFIGURATION: Record<HostedName, (input: ManifestInput) => PodConfiguration> = {
  etcd: (input) => ({ files: memberFiles(input), readOnce: commonSettings(input) }),
  // As etcd with an `existing` initial cluster, it does not start with an empty volume once it has had data.
  kine: ({ initialState, spec }) => ({
    files:
      databaseOf(spec) === undefined
        ? { [DATA_MODE]: initialState === 'existing' ? 'rw' : 'rwc' }
        : {},
    readOnce: {},
  }),
  'kube-apiserver': (input) => {
    const readOnce = pick(filesOf(input), ['audit-policy.json'])
    return { files: { ...pick(filesOf(input), ['authentication.json']), ...readOnce }, readOnce }
  },
  'kube-controller-manager': (input) => kubeconfigOnly(input, 'controller-manager.kubeconfig'),
  'kube-scheduler': (input) => kubeconfigOnly(input, 'scheduler.kubeconfig'),
}

function kubeconfigOnly(input: ManifestInput, name: string): PodConfiguration {
  const files = pick(filesOf(input), [name])
  return { files, readOnce: files }
}

/** The settings without the initial cluster, which only matters to a member without data. */
function commonSettings(input: ManifestInput): Files {
  const [file = '{}'] = Object.values(memberFiles({ ...input, etcdMembers: undefined }))
  const settings: unknown = JSON.parse(file, (name, value: unknown) =>
    name.startsWith('initial-cluster') ? undefined : value,
  )
  return { settings: JSON.stringify(settings) }
}

function memberFiles(input: ManifestInput): Files {
  const count = input.etcdMembers ?? hostOf(input.spec).etcd.replicas
  const ordinals = Array.from({ length: count }, (_, index) => index)
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
