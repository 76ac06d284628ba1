import type { Action, ActionHint, Hint } from '../../shared/hint.ts'
import { shellWord } from '../../shared/text/shell-word.ts'

/** The commands of the actions that are not called like them. */
const COMMANDS: Partial<Record<Action, string>> = {
  'examine-machine': 'doctor',
  'get-binaries': 'binaries pull',
  'list-snapshots': 'snapshot list',
  'print-kubeconfig': 'kubeconfig',
  'prune-binaries': 'binaries prune',
  'install-keeper': 'keeper install',
  'install-operator': 'operator install',
  'show-operator': 'operator status',
  'rotate-ca': 'certs rotate-ca',
  'rotate-certificates': 'certs rotate',
  'rotate-encryption-key': 'certs rotate-encryption-key',
  'rotate-service-account-key': 'certs rotate-service-account-key',
  'take-snapshot': 'snapshot create',
}

/** The words of the command that takes an action: `snapshot create`. */
export function commandOf(action: Action): string {
  return COMMANDS[action] ?? action
}

/** The flag of an option: `--from-survivor`. */
export function flagOf(option: string): string {
  return `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The words that name a plane on the command line: `dev --namespace team-a`. */
export function planeWords({ name, namespace }: NonNullable<ActionHint['plane']>): string {
  return namespace === undefined ? name : `${name} --namespace ${namespace}`
}

/** Hints as people and scripts read them, each once: `to continue: vplane create dev --namespace team-a`. */
export function hintTexts(hints: readonly Hint[]): string[] {
  return [...new Set(hints.map(hintText))]
}

/** One hint as `hintTexts` has it. */
export function hintText(hint: Hint): string {
  if (typeof hint === 'string') {
    return hint
  }
  const { action, command, plane, purpose, what, ...options } = hint
  const given = Object.entries(options)
  const left = given.flatMap(([option, value]) => (value === false ? [flagOf(option)] : []))
  const words = [
    action && `vplane ${commandOf(action)}`,
    plane && planeWords(plane),
    what,
    left.length > 0 ? `leave out ${left.join(' and ')}` : undefined,
    ...given.flatMap(([option, value]) => [
      value ? flagOf(option) : undefined,
      typeof value === 'string' ? shellWord(value) : undefined,
    ]),
    command && `-- ${command}`,
  ]
  const text = words.filter((word) => word !== undefined).join(' ')
  return purpose === undefined ? text : `${purpose}: ${text}`
}
