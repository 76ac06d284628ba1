import type { IncomingMessage } from 'node:http'
import { toConnectionError } from '../../../kube/kube-error.ts'
import { textAt } from '../../../shared/json-fields.ts'
import type { Peer } from '../../../kube/http/peer.ts'
import { readBody } from '../../../kube/http/read-body.ts'
import type { KubeletAnswer } from '../requests/kubelet-answer.ts'

/** Errors are short; what is longer is not worth waiting for. */
const MAX_BYTES = 64 * 1024

/** The host's refusal, a `Status` or whatever it is, except where it is about the syncer itself. */
export async function hostRefusal(answer: IncomingMessage): Promise<KubeletAnswer> {
  const status = answer.statusCode ?? 0
  const body = await readBody(answer, MAX_BYTES)
  if (status === 401) {
    // It would tell the user of the plane to log in.
    return { status: 502, body: `the host cluster does not know the syncer: ${messageIn(body)}` }
  }
  return status >= 400
    ? { status, body, contentType: answer.headers['content-type'] }
    : { status: 502, body: `the host cluster answered with status ${status}` }
}

/** An answer that says its sentence alone, as kubelets do. */
export function plainly({ body, status }: KubeletAnswer): KubeletAnswer {
  return { status, body: messageIn(body) }
}

/** What to say when the host gave no answer. Where it is, is not for users of the plane. */
export function hostSilence(error: unknown, { server }: Peer): KubeletAnswer {
  const { code, message } = toConnectionError(error, server)
  return {
    status: code === 'TIMED_OUT' ? 504 : 502,
    body: message.replaceAll(server, 'the host cluster'),
  }
}

/** The message of a `Status`; all of a text that is none. */
function messageIn(text: string): string {
  try {
    return textAt(JSON.parse(text), 'message') ?? text
  } catch {
    // A kubelet of the host, or something on the way, that speaks plain text.
    return text.trim()
  }
}
