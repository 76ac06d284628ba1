import { answersReady } from '../../api/answers-ready.ts'
import { READ_ONLY } from '../../driver/endpoint-options.ts'
import type { ComponentName, Plane } from '../../plane/plane.ts'
import { canStore } from '../../store/store.ts'
import type { EtcdFigures, PlaneFigures } from '../../status/plane-figures.ts'
import type { AccessDependencies } from '../access/access.ts'
import { omitUndefined } from '../../../shared/omit-undefined.ts'
import type { ResolvedPlane } from '../find/resolve-plane.ts'

export interface MeasureDependencies extends Pick<AccessDependencies, 'openApi'> {
  /** Reads the figures of etcd. @default its driver does */
  etcdFigures?: (plane: Plane, signal: AbortSignal) => Promise<EtcdFigures>
}

export interface MeasureOptions extends ResolvedPlane {
  signal: AbortSignal
  /** Reports what could not be measured, and why. */
  onFailure: (what: string, error: unknown) => void
}

/** Measures a plane and its components, whether they work or not, and changes nothing. */
export async function measurePlane(
  { etcdFigures, openApi }: MeasureDependencies,
  { driver, onFailure, plane, signal }: MeasureOptions,
): Promise<PlaneFigures> {
  const unlessFailing = async <T>(what: string, measuring: Promise<T>): Promise<T | undefined> => {
    try {
      return await measuring
    } catch (error) {
      signal.throwIfAborted()
      onFailure(what, error)
      return undefined
    }
  }
  const { backup, components, operation, wakes, ...status } = await driver.status(plane)
  const runs = (name: ComponentName) =>
    components.some((component) => component.name === name && component.state !== 'stopped')
  const [isApiReady, etcd, certificates = []] = await Promise.all([
    status.isApiReady ??
      (runs('kube-apiserver') &&
        answersReady(async () => openApi(await driver.endpoint(plane, READ_ONLY)), signal)),
    canStore(plane.spec, 'figures') && runs('etcd')
      ? unlessFailing('etcd', etcdFigures?.(plane, signal) ?? driver.metrics.etcd(plane, signal))
      : undefined,
    unlessFailing('certificates', driver.certificates.list(plane)),
  ])
  return {
    components: components.map(({ name, reason, state }) => ({
      name,
      isUp: state === 'running' && (name !== 'kube-apiserver' || isApiReady),
      ...(reason === undefined ? {} : { reason }),
    })),
    isApiReady,
    certificates,
    ...omitUndefined({ etcd, backup, operation, wakes }),
  }
}
