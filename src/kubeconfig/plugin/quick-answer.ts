import { rmSync } from 'node:fs'
import type { Access } from '../../control-plane/use-cases/access/access.ts'
import { dueAt } from '../../control-plane/use-cases/access/credential-lifetime.ts'
import type { ProcessRecord } from '../../shared/processes/launch/process-record.ts'
import { writeFile } from '../../shared/files/write-file.ts'

const FORMAT_VERSION = 1

/** How long before its end a client comes back for a credential that it may use for a minute, in seconds. */
const MARGIN_SECONDS = 60

/** What the launcher of the credential plugin may say by itself, and as long as what. */
export interface QuickAnswer {
  access: Pick<Access, 'server' | 'certificate' | 'key' | 'expiresAt'>
  /** As long as all of these processes live. */
  processes: ReadonlyArray<Pick<ProcessRecord, 'processId' | 'startTime' | 'bootId'>>
  /** As long as there is no such file. @default whatever else there is */
  unless?: string | undefined
}

/**
 * Writes down, for its owner alone, what the launcher answers: lines for a shell, since starting Node.js takes ten times
 * as long as all that has to be looked at. The launcher takes it for what it is worth: when anything in it does not hold
 * any more, vplane is asked.
 *
 * @param accessPath file of the access; the answer lies beside it and goes with it.
 */
export async function writeQuickAnswer(
  accessPath: string,
  { access, processes, unless = '' }: QuickAnswer,
): Promise<void> {
  const [{ bootId } = { bootId: '' }] = processes
  const lines = [
    String(FORMAT_VERSION),
    access.server,
    String(Math.floor(dueAt(access).getTime() / 1000) - MARGIN_SECONDS),
    bootId,
    processes.map(({ processId, startTime }) => `${processId}:${startTime}`).join(' '),
    unless,
    beginningOf(access),
  ]
  // A line break in a path would make two lines of one.
  if (lines.every((line) => !line.includes('\n')) && processes.length > 0) {
    await writeFile(quickAnswerPath(accessPath), `${lines.join('\n')}\n`)
  }
}

/** Forgets the answer beside an access, if there is one. */
export function removeQuickAnswer(accessPath: string): void {
  rmSync(quickAnswerPath(accessPath), { force: true })
}

/** Where the launcher looks for it. */
function quickAnswerPath(accessPath: string): string {
  return `${accessPath}.answer`
}

/** An ExecCredential but for its last value, which depends on the time: until when the client may use it. */
function beginningOf({ certificate, key }: QuickAnswer['access']): string {
  const text = JSON.stringify({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { clientCertificateData: certificate, clientKeyData: key, expirationTimestamp: '' },
  })
  return text.slice(0, text.lastIndexOf('"}}'))
}
