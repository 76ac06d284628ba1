import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Environment } from '../../shared/environment.ts'
import { hasErrorCode, messageOf, VplaneError } from '../../shared/errors.ts'

const execute = promisify(execFile)

/**
 * Asks the systemd of this user, and returns what `systemctl` prints.
 * @throws {VplaneError} `UNSUPPORTED` without systemd, `UNREACHABLE` when none runs for this user, `FAILED` when it refuses.
 */
export async function systemctl(
  args: readonly string[],
  environment: Environment,
): Promise<string> {
  try {
    const { stdout } = await execute('systemctl', ['--user', ...args], { env: environment })
    return stdout
  } catch (error) {
    throw toVplaneError(error, args)
  }
}

function toVplaneError(cause: unknown, args: readonly string[]): VplaneError {
  if (hasErrorCode(cause, 'ENOENT')) {
    const message = 'this needs systemd, and there is no "systemctl" on PATH'
    const purpose = 'run this when you log in, which starts the keeper'
    return new VplaneError('UNSUPPORTED', message, { hints: [{ action: 'list', purpose }], cause })
  }
  const reason = reasonIn(cause)
  if (/connect to (user scope )?bus|booted with systemd/i.test(reason)) {
    const hints = [
      'log in as this user, because su and sudo start no systemd for it',
      'loginctl enable-linger',
    ]
    const message = `no systemd of this user answers: ${reason}`
    return new VplaneError('UNREACHABLE', message, { hints, cause })
  }
  const message = `systemctl ${args.join(' ')} failed: ${reason}`
  const hints = ['systemctl --user status vplane-keeper']
  return new VplaneError('FAILED', message, { hints, cause })
}

function reasonIn(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  return (stderr === '' ? messageOf(error) : stderr).replaceAll(/\s*\n\s*/g, ' ').replace(/\.$/, '')
}
