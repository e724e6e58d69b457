// The part of the compose specification (https://compose-spec.io) that docker-compose.yml uses. Anything else is refused.
const text = { type: 'string' };
const texts = { type: 'array', items: text };
const object = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false });
const mapOf = (schema) => ({ type: 'object', additionalProperties: schema });
const duration = { type: 'string', pattern: '^(\\d+(ms|s|m|h))+$' };

const service = object({
  image: text,
  build: object({ context: text, dockerfile: text, target: text }, ['context', 'dockerfile', 'target']),
  command: texts,
  entrypoint: texts,
  environment: mapOf(text),
  ports: texts,
  volumes: texts,
  secrets: texts,
  tmpfs: texts,
  depends_on: mapOf(
    object({ condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] } }, [
      'condition',
    ]),
  ),
  healthcheck: object(
    {
      test: texts,
      interval: duration,
      timeout: duration,
      start_period: duration,
      retries: { type: 'integer', minimum: 1 },
    },
    ['test'],
  ),
  restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
  stop_grace_period: duration,
  shm_size: text,
  read_only: { type: 'boolean' },
  cap_add: texts,
  cap_drop: texts,
  network_mode: { const: 'none' },
  user: text,
  security_opt: texts,
});

export const composeSchema = {
  ...object(
    {
      name: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]*$' },
      services: mapOf(service),
      volumes: mapOf({ type: 'null' }),
      secrets: mapOf(object({ file: text }, ['file'])),
    },
    ['services'],
  ),
  patternProperties: { '^x-': {} },
};
