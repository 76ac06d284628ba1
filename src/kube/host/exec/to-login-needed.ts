import { basename } from 'node:path'
import type { VplaneError } from '../../../shared/errors.ts'
import { shellWord } from '../../../shared/text/shell-word.ts'
import { loginNeeded } from '../../kube-error.ts'
import type { ExecPlugin } from './exec-plugin.ts'

interface LoginDetails {
  context: string
  plugin?: ExecPlugin | undefined
  /** The plugin does not exist: the user has to install it instead of logging in. */
  isMissing?: boolean
  cause: unknown
}

/** The error for a host cluster that refuses the credentials, with the commands that may renew them. */
export function toLoginNeeded(why: string, details: LoginDetails): VplaneError {
  const { cause, context, isMissing = false, plugin } = details
  const hints = isMissing
    ? linesOf(plugin?.installHint)
    : [...loginCommands(plugin), `kubectl --context ${shellWord(context)} get --raw /version`]
  return loginNeeded(`login to the host cluster "${context}" is needed: ${why}`, { hints, cause })
}

/** The login of well-known plugins. For others, kubectl runs the plugin with a terminal, where many ask the user. */
function loginCommands(plugin: ExecPlugin | undefined): string[] {
  const name = basename(plugin?.command ?? '').replace(/\.exe$/, '')
  const args = plugin?.args ?? []
  if (name === 'aws') {
    const index = args.indexOf('--profile')
    const profile = plugin?.environment['AWS_PROFILE'] ?? (index < 0 ? undefined : args[index + 1])
    return [`aws sso login${profile === undefined ? '' : ` --profile ${shellWord(profile)}`}`]
  }
  if (name === 'gke-gcloud-auth-plugin') {
    return ['gcloud auth login']
  }
  return name === 'kubelogin' && args.includes('azurecli') ? ['az login'] : []
}

function linesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/\p{Cc}/gu, '').trim())
    .filter((line) => line !== '')
}
