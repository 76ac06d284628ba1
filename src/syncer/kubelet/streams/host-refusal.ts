import type { IncomingMessage } from 'node:http'
import { toConnectionError } from '../../../kube/kube-error.ts'
import { textAt } from '../../../shared/json-fields.ts'
import type { Peer } from '../../../kube/http/peer.ts'
import { readBody } from '../../../kube/http/read-body.ts'
import type { KubeletAnswer } from '../requests/kubelet-answer.ts'

/** The host's refusal for the client, unless it concerns the syncer itself. */
export async function hostRefusal(answer: IncomingMessage): Promise<KubeletAnswer> {
  const status = answer.statusCode ?? 0
  // Errors are short; the rest of a longer body is not worth waiting for.
  const body = await readBody(answer, 64 * 1024)
  if (status === 401) {
    // A 401 would request a login from the user of the plane.
    return { status: 502, body: `the host cluster rejects the syncer's token: ${messageIn(body)}` }
  }
  return status >= 400
    ? { status, body, contentType: answer.headers['content-type'] }
    : { status: 502, body: `the host cluster answered with status ${status}` }
}

/** An answer with the message alone, as kubelets send it. */
export function toPlainAnswer({ body, status }: KubeletAnswer): KubeletAnswer {
  return { status, body: messageIn(body) }
}

/** The answer when the host does not answer, without the host's address, which is not for users of the plane. */
export function noHostAnswer(error: unknown, { server }: Peer): KubeletAnswer {
  const { code, message } = toConnectionError(error, server)
  return {
    status: code === 'TIMED_OUT' ? 504 : 502,
    body: message.replaceAll(server, 'the host cluster'),
  }
}

/** The message of a `Status`, or the whole text of anything else. */
function messageIn(text: string): string {
  try {
    return textAt(JSON.parse(text), 'message') ?? text
  } catch {
    // Kubelets and proxies of the host answer with plain text.
    return text.trim()
  }
}
