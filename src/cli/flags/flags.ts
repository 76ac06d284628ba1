import { Args, Flags } from '@oclif/core'
import { parseName } from '../../control-plane/plane/names.ts'
import { processEnvironment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'
import { formatDuration, parseDuration } from '../../shared/text/duration.ts'
import { BUILT_IN_SETTINGS, loadSettings, type Settings } from '../settings/settings.ts'

/** A default that comes from `VPLANE_*` variables or config.yaml; read only when the flag is not given. */
function setting<Key extends keyof Settings>(key: Key) {
  return async () => (await loadSettings(processEnvironment()))[key]
}

/** `--driver`: how a new plane is run. */
export const driverFlag = Flags.option({
  options: ['kubernetes', 'local'] as const,
  summary: 'How the plane runs: in a host namespace, or as processes here.',
  default: setting('driver'),
  defaultHelp: async () => undefined,
})

/** `--version`: Kubernetes version of a new plane. */
export const versionFlag = Flags.custom({
  summary: 'Kubernetes version, such as 1.36 or 1.36.3.',
  helpValue: 'VERSION',
  default: setting('version'),
  defaultHelp: async () => BUILT_IN_SETTINGS.version,
})

/** In milliseconds. */
export const timeoutFlag = Flags.custom<number>({
  summary: 'Gives up after this time: 90s, 5m, 1h30m.',
  helpValue: 'DURATION',
  parse: async (text) => parseDuration(text),
  default: setting('timeoutMs'),
  defaultHelp: async () => formatDuration(parseDuration(BUILT_IN_SETTINGS.timeout)),
})

/** `--bin-dir`: the only folder with binaries. */
export const binDirFlag = Flags.custom({
  summary: 'Folder with etcd, kube-apiserver, kube-controller-manager, kubectl.',
  helpValue: 'FOLDER',
  default: setting('binDir'),
  defaultHelp: async () => undefined,
})

/** `--yes`: skips every question. */
export const yesFlag = () => Flags.boolean({ char: 'y', summary: 'Skips confirmation.' })

/** `--dry-run`: changes nothing. */
export const dryRunFlag = () =>
  Flags.boolean({ summary: 'Prints what would be done, and does nothing.', default: false })

/** `--force` of commands that write a file: one that exists may be overwritten. */
export const overwriteFlag = () =>
  Flags.boolean({ summary: 'Overwrites the output file if it exists.', default: false })

/** `--without-volumes`: data on volumes of pods may be lost. */
export const withoutVolumesFlag = () =>
  Flags.boolean({ summary: 'Continues although data on volumes of pods is lost.' })

export const labelFlag = () =>
  Flags.string({
    summary: 'Gives the plane a label, by which list -l selects.',
    helpValue: 'NAME=VALUE',
    multiple: true,
    multipleNonGreedy: true,
    parse: async (text) => {
      if (!/^[^=]+=/.test(text)) {
        throw new VplaneError('USAGE', `"${text}" is not of the form NAME=VALUE`, {
          hints: ['such as --label team=shop'],
        })
      }
      return text
    },
  })

/** `--wait`: whether to wait until the plane is ready. */
export const waitFlag = () =>
  Flags.boolean({
    allowNo: true,
    summary: 'Waits until the plane is ready; this is the default.',
    default: setting('wait'),
  })

/** `NAME` of a plane that exists. */
export const nameArgument = Args.custom({
  description: 'Name of the control plane.',
  parse: async (text) => parseName(text),
})

/** Puts flags under their own heading in the help of a command. */
export function inHelpGroup<Group extends Record<string, { helpGroup?: string }>>(
  helpGroup: string,
  flags: Group,
): Group {
  Object.values(flags).forEach((flag) => Object.assign(flag, { helpGroup }))
  return flags
}
