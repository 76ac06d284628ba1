import { AGNHOST_IMAGE } from '../images/lab-images.ts'

/** A pod that answers HTTP at all these ports, which are called `port-80`; it is ready when it answers at the last one. */
export function answeringPod(name: string, ports: readonly number[]) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'agnhost',
          image: AGNHOST_IMAGE,
          imagePullPolicy: 'Never',
          args: ['porter'],
          env: ports.map((port) => ({ name: `SERVE_PORT_${port}`, value: 'here' })),
          ports: ports.map((port) => ({ name: `port-${port}`, containerPort: port })),
          readinessProbe: { tcpSocket: { port: ports.at(-1) }, periodSeconds: 1 },
        },
      ],
    },
  }
}

/** A NetworkPolicy for the pods of this name. */
export function policyFor(app: string, rules: object) {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: app },
    spec: { podSelector: { matchLabels: { app } }, ...rules },
  }
}
