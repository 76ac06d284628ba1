import { resolve, dirname, sep } from 'node:path'
import type { KubeconfigEntry } from '../kubeconfig/kubeconfig-entry.ts'

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const

/** A program that provides a user's credentials, see kubernetes.io, "client-go credential plugins". */
export interface ExecPlugin {
  /** A name on PATH, or an absolute path. */
  command: string
  args: string[]
  /** Variables that are added to the environment of vplane. */
  environment: Record<string, string>
  apiVersion: string
  /** Whether it requests the cluster that the credentials are for. */
  provideClusterInfo: boolean
  interactiveMode: (typeof INTERACTIVE_MODES)[number]
  /** How to install it, in one or more lines. */
  installHint: string | undefined
}

/** Undefined without plugin. @throws {VplaneError} `FAILED` when kubectl would refuse the entry. */
export function toExecPlugin(user: KubeconfigEntry): ExecPlugin | undefined {
  const exec = user.entry('exec')
  if (exec === undefined) {
    return undefined
  }
  const apiVersion = exec.text('apiVersion')
  if (apiVersion === undefined || !API_VERSIONS.includes(apiVersion)) {
    throw exec.problem(`"apiVersion" is neither ${API_VERSIONS.join(' nor ')}`)
  }
  const variables = exec.entries('env').map((item) => {
    const name = item.text('name')
    if (name === undefined) {
      throw exec.problem('a variable has no name')
    }
    return [name, item.text('value') ?? ''] as const
  })
  return {
    command: commandOf(exec),
    args: exec.texts('args'),
    environment: Object.fromEntries(variables),
    apiVersion,
    provideClusterInfo: exec.flag('provideClusterInfo'),
    interactiveMode: interactiveModeOf(exec, apiVersion),
    installHint: exec.text('installHint'),
  }
}

/** A path is relative to the kubeconfig; a bare name is found on PATH. */
function commandOf(exec: KubeconfigEntry): string {
  const command = exec.text('command')
  if (command === undefined) {
    throw exec.problem('it names no command')
  }
  return command.includes(sep) ? resolve(dirname(exec.file), command) : command
}

function interactiveModeOf(exec: KubeconfigEntry, apiVersion: string) {
  const given = exec.text('interactiveMode')
  // Only the older version allows it to be missing.
  const value = given ?? (apiVersion.endsWith('/v1beta1') ? 'IfAvailable' : undefined)
  const mode = INTERACTIVE_MODES.find((known) => known === value)
  if (mode === undefined) {
    throw exec.problem(`"interactiveMode" is none of ${INTERACTIVE_MODES.join(', ')}`)
  }
  return mode
}
