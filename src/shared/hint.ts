/**
 * The actions of hints, each with its options. The rooms below the entries do not know the command line: the CLI has a
 * command for each action and a flag for each option, the library has calls.
 */
export const ACTIONS = {
  adopt: '',
  connect: 'address clusterRole expires idleTimeout localPort',
  create:
    'adopt binDir createNamespace driver ephemeral hostContext imageRegistry namespace preset serviceMonitor set shareNamespace storageClass storageSize sync syncClasses syncNodes version',
  delete: 'leaveData yes',
  describe: '',
  disconnect: '',
  'examine-machine': '',
  explain: 'recursive',
  'get-binaries': 'kine',
  'install-keeper': '',
  'install-operator': '',
  list: '',
  'list-snapshots': 'store',
  logs: '',
  metrics: 'component',
  move: 'abort driver hostContext namespace toContext toDriver toNamespace',
  pause: 'noSnapshot',
  'print-kubeconfig': 'printGrant secret',
  'prune-binaries': '',
  release: '',
  repair: 'fromSurvivor wait',
  restore:
    'force from helperImage hostContext name noSnapshot passphraseFile withoutSecrets withoutVolumes',
  resume: '',
  'rotate-ca': 'stage',
  'rotate-certificates': '',
  'rotate-encryption-key': 'stage',
  'rotate-service-account-key': 'stage',
  set: '',
  'show-operator': '',
  'take-snapshot': 'bundle output',
  upgrade: 'etcdVersion version withoutStaleObjects',
} as const

export type Action = keyof typeof ACTIONS

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Exclude<Text, ''>

export type Option = Words<(typeof ACTIONS)[Action]>

/** The options with their values: `true` for an option without value, `false` for one to leave out. */
type Options<Name extends string> = Partial<Record<Name, string | boolean | undefined>>

interface HintParts {
  purpose?: string
  plane?: { name: string; namespace?: string | undefined }
  /** A part of the plane, such as a component, or a field with its value; for `explain`, the path of a field. */
  what?: string
  /** The user's own command, which runs with the plane. */
  command?: string
}

/** An action with its options; without `action`, the user's last action with other options. */
export type ActionHint =
  | (HintParts & Options<Option> & { action?: undefined })
  | {
      [Name in Action]: HintParts & Options<Words<(typeof ACTIONS)[Name]>> & { action: Name }
    }[Action]

/** What to do now: a short sentence, a command of another program, or an action of vplane. */
export type Hint = string | ActionHint
