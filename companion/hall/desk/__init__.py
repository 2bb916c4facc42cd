"""The director's shell: broker, certificates, enrolment, and the logs that tables send."""
