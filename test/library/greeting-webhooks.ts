import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Webhooks } from '../../src/library/index.ts'

interface Greeting {
  apiVersion: string
  metadata: Record<string, unknown>
  spec?: { text?: string; words?: string[] }
}

interface Review {
  request: {
    uid: string
    object: Greeting
    objects: Greeting[]
    desiredAPIVersion: string
  }
}

export interface GreetingWebhooks extends AsyncDisposable {
  /** Paths that were asked for. */
  paths: Set<string>
}

/** A webhook server as an operator would have one: it refuses rude greetings, fills in empty ones, and converts. */
export async function serveGreetingWebhooks(webhooks: Webhooks): Promise<GreetingWebhooks> {
  const { certificate, host, key, port } = webhooks
  const paths = new Set<string>()
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const review = await read(request)
    paths.add(pathOf(request))
    const answer = { uid: review.request.uid, ...answerTo(pathOf(request), review) }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...review, response: answer }))
  })
  // A connection in its handshake is none of HTTP yet: close would wait until kube-apiserver gives it up, 90 s.
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(port, host)
  await once(server, 'listening')
  return {
    paths,
    [Symbol.asyncDispose]: async () => {
      server.close()
      sockets.forEach((socket) => socket.destroy())
      await once(server, 'close')
    },
  }
}

async function read(request: IncomingMessage): Promise<Review> {
  const chunks: Buffer[] = await Array.fromAsync(request)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** The API server adds its own time-out as a query. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

function answerTo(path: string, { request }: Review): object {
  switch (path) {
    case '/validate': {
      const isRude = request.object.spec?.text === 'go away'
      return { allowed: !isRude, status: { message: 'greetings are to be kind' } }
    }
    case '/mutate': {
      const patch = [{ op: 'add', path: '/spec', value: { text: 'hello there' } }]
      return request.object.spec === undefined
        ? {
            allowed: true,
            patchType: 'JSONPatch',
            patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
          }
        : { allowed: true }
    }
    default:
      return {
        result: { status: 'Success' },
        convertedObjects: request.objects.map((object) =>
          convert(object, request.desiredAPIVersion),
        ),
      }
  }
}

function convert({ spec = {}, ...greeting }: Greeting, apiVersion: string): Greeting {
  const words = spec.words ?? spec.text?.split(' ') ?? []
  const isOld = apiVersion.endsWith('v1alpha1')
  return { ...greeting, apiVersion, spec: isOld ? { words } : { text: words.join(' ') } }
}
