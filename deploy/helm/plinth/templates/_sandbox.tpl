{{/*
The sidecar that runs data models for a build worker or a runtime: no secrets, no volumes but the socket's. It begins before
the service and ends after it. Root in it is there to give each program a user of its own.
*/}}
{{- define "plinth.sandbox" -}}
- name: sandbox
  image: {{ include "plinth.image" . | quote }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  restartPolicy: Always
  args: [node, dist/apps/sandbox/src/main.js]
  env:
    - { name: NODE_ENV, value: production }
    - { name: PLINTH_SANDBOX_SOCKET, value: /run/plinth/sandbox.sock }
  startupProbe:
    exec: { command: [test, -S, /run/plinth/sandbox.sock] }
    periodSeconds: 2
    failureThreshold: 30
  securityContext:
    runAsNonRoot: false
    runAsUser: 0
    runAsGroup: 1000
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities:
      drop: [ALL]
      add: {{- toYaml .Values.sandbox.capabilities | nindent 8 }}
  resources: {{- toYaml .Values.sandbox.resources | nindent 4 }}
  volumeMounts:
    - { name: sandbox, mountPath: /run/plinth }
    - { name: sandbox-users, mountPath: /run/plinth-sandbox }
{{- end -}}
