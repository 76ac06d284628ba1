/**
 * What can be done, each with the options that hints give it. The rooms below the entries know no command line: the CLI
 * has a command for each action and a flag for each option, the library has what its users can call.
 */
export const ACTIONS = {
  connect: 'address clusterRole expires idleTimeout localPort',
  create:
    'adopt binDir createNamespace driver ephemeral hostContext imageRegistry namespace preset serviceMonitor set shareNamespace storageClass storageSize sync syncClasses syncNodes version',
  delete: 'yes',
  describe: '',
  disconnect: '',
  'examine-machine': '',
  'get-binaries': '',
  list: '',
  'list-snapshots': 'store',
  logs: '',
  metrics: 'component',
  move: 'abort driver hostContext namespace toContext toDriver toNamespace',
  pause: 'noSnapshot',
  'print-kubeconfig': '',
  'prune-binaries': '',
  repair: 'fromSurvivor wait',
  restore:
    'force from helperImage hostContext name noSnapshot passphraseFile withoutSecrets withoutVolumes',
  resume: '',
  'rotate-ca': 'stage',
  'rotate-encryption-key': 'stage',
  'rotate-service-account-key': 'stage',
  set: '',
  'take-snapshot': 'bundle output',
  upgrade: 'etcdVersion version withoutStaleObjects',
} as const

export type Action = keyof typeof ACTIONS

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Exclude<Text, ''>

/** An option of some action. */
export type Option = Words<(typeof ACTIONS)[Action]>

/** Each with its value, `true` for one that has none, or `false` for one that is to be left out. */
type Options<Name extends string> = Partial<Record<Name, string | boolean | undefined>>

interface HintParts {
  /** What it is for, before the action: `to continue`. */
  purpose?: string
  /** The plane that it is done with. */
  plane?: { name: string; namespace?: string | undefined }
  /** What of the plane, such as a component, or a field with its value. */
  what?: string
  /** The user's own command, which is run with the plane. */
  command?: string
}

/** An action that can be taken, with its options; without `action`, the one that was asked for with other options. */
export type ActionHint =
  | (HintParts & Options<Option> & { action?: undefined })
  | {
      [Name in Action]: HintParts & Options<Words<(typeof ACTIONS)[Name]>> & { action: Name }
    }[Action]

/** What to do now: a short sentence or a command of another program, or an action of vplane. */
export type Hint = string | ActionHint
